// SPDX-License-Identifier: GPL-3.0-or-later
// The curves of the ticked runs: choice of metric, log axis, legend row, plot (T: as a table).
#pragma once

#include "ui/data/query.h"
#include "ui/data/studio.h"
#include "ui/pages/compare/curve_reader.h"

#include <QWidget>

#include <map>
#include <set>

class QComboBox;
class QLabel;
class QScrollArea;
class QSpinBox;
class QStackedLayout;
class QToolButton;

namespace heddle::ui {

class CurvePlot;
class LegendRow;

class CurvesPanel : public QWidget {
    Q_OBJECT

public:
    CurvesPanel(Studio& studio, QWidget* parent = nullptr);

    /// Sets the runs to draw and reads their values, even of the same runs.
    void setRuns(const std::vector<CurveRequest>& runs);
    void setMetric(const CurveMetric& metric);
    /// Orders of the groups that keep their colour; the others are grey.
    void setLit(const std::set<int>& orders);
    const CurveMetric& metric() const { return metric_; }
    CurvePlot& plot() { return *plot_; }
    /// The curves of the plot, grey ones first.
    const QList<Curve>& drawn() const { return drawn_; }
    bool isSettled() const { return !reading_; }
    /// How to read the picture: "mean and range of the seeds, …".
    QString caption() const;

Q_SIGNALS:
    void captionChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitLegend();
    Query::Request nextRequest();
    void readAgain();
    void takeAll();
    void take(const std::vector<CurveMetric>& metrics, const CurveSet& set);
    void draw();
    void fillChoice(const std::vector<CurveMetric>& metrics);

    Studio& studio_;
    QComboBox* choice_;
    QToolButton* log_;
    QSpinBox* smoothing_;
    QScrollArea* legendRoom_;
    LegendRow* legend_;
    CurvePlot* plot_;
    QLabel* empty_;
    QStackedLayout* stack_;
    CurveMetric metric_{CurveMetric::Source::Evaluations, "valid.loss"};
    std::vector<CurveRequest> runs_;
    std::vector<CurveMetric> metrics_;
    CurveSet shown_;
    std::set<int> lit_;
    QList<Curve> drawn_;
    std::map<RunRef, RunValues> read_;  ///< of runs_, as far as they are read
    QString unit_;                      ///< of what is drawn; empty if it is not known
    bool reading_ = false;
    Query* query_;
};

}  // namespace heddle::ui
