// SPDX-License-Identifier: GPL-3.0-or-later
// The curves of the ticked runs: choice of metric, log axis, smoothing, legend, plot (T: as a table).
#pragma once

#include "ui/data/run_facts.h"
#include "ui/data/studio.h"
#include "ui/panels/curve_panel.h"
#include "ui/threads/query.h"

class QComboBox;
class QScrollArea;
class QSettings;
class QSpinBox;
class QToolButton;

namespace heddle::ui {

class CurveLegend;

/// What can be drawn: a metric of an evaluated split, or a series recorded in training.
struct CurveMetric {
    SeriesId::Source source = SeriesId::Source::Evaluations;  ///< Means of a series
    std::string name;                                         ///< "valid.loss", or the series' name
    std::string path = {};                                    ///< layer or stack of a series; empty for the whole model

    QString id() const;  ///< "valid.loss", "series:loss", "series:grad_norm/encoder.layers.0"
    static CurveMetric fromId(const QString& id);
    QString title() const;
    int decimals() const;
    CurveKind kind() const;
    bool operator==(const CurveMetric&) const = default;
};

/// What one run has.
struct MetricOffer {
    std::set<std::string> metrics;                   ///< CurveMetric::id() of each that has more than one point
    std::map<std::string, std::set<QString>> units;  ///< as the signatures say them, of "valid.loss" and of "loss"
};
/// On the reader thread.
MetricOffer readOffer(storage::RunQuery& query, const std::string& run);

/// Returns the metrics that at least one run has; common metrics come first.
std::vector<CurveMetric> metricsOf(const std::vector<MetricOffer>& offers);

/// Its window title says how to read the picture: "Curves · mean and range of the seeds, …".
class ComparedCurves : public QWidget {
    Q_OBJECT

public:
    ComparedCurves(Studio& studio, QWidget* parent = nullptr);

    /// Sets the runs to draw and reads their values, even of the same runs.
    void setRuns(const std::vector<CurveRun>& runs);
    void setMetric(const CurveMetric& metric);
    /// At most nine groups keep their colours: those of the rows that are chosen in the table, then the first ones.
    void setChosen(const std::vector<RunPointer>& runs);
    CurvePlot& plot() { return panel_->plot(); }
    CurvePanel& panel() { return *panel_; }
    QAction& ignoreOutliers() const { return *ignoreOutliers_; }
    void saveSession(QSettings& settings) const;
    void restoreSession(const QSettings& settings);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    using Offers = std::map<RunRef, MetricOffer>;
    QWidget* buildHead();
    void fitLegend();
    void light();
    void readNextOffers();
    void takeOffers(Result<Offers> offers);
    void fillChoice();
    void showDrawn();
    void showCaption();
    QString unit() const;

    Studio& studio_;
    QComboBox* choice_;
    QToolButton* log_;
    QSpinBox* smoothing_;
    QScrollArea* legendRoom_;
    CurveLegend* legend_;
    CurvePanel* panel_;
    QAction* ignoreOutliers_;
    CurveMetric metric_{SeriesId::Source::Evaluations, "valid.loss"};
    std::vector<CurveRun> runs_;
    std::vector<int> chosen_;  ///< orders of groups
    std::set<int> lit_;
    QString problem_;       ///< why rows could not be read, which is told once: it stands until there are curves
    Offers offers_;         ///< of runs_, as far as they are read
    std::set<RunRef> due_;  ///< runs whose offers are not read
    int asked_ = 0;         ///< the database whose offers are read
    ReportedProblems reported_;
    Query<Offers> reading_;
};

}  // namespace heddle::ui
