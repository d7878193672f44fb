// SPDX-License-Identifier: GPL-3.0-or-later
// Loss and accuracy of the drawn runs with one legend below them, and the throughput of the current run and its use of the
// machine, over one x-axis.
#pragma once

#include "ui/data/run_details.h"
#include "ui/data/series_store.h"
#include "ui/data/studio.h"
#include "ui/panels/curve_panel.h"

#include <QElapsedTimer>
#include <QTimer>

class QSplitter;

namespace heddle::ui {

class CurveLegend;

namespace watch {

class SystemPanel;
class WatchBar;

class RunCurves : public QWidget {
    Q_OBJECT

public:
    /// `bar` has the choices of axis, smoothing and scale. All must outlive this object.
    RunCurves(Studio& studio, const RunDetails& details, WatchBar& bar, QWidget* parent);

    CurvePanel& loss() { return *loss_; }
    CurvePanel& accuracy() { return *accuracy_; }
    CurvePanel& throughput() { return *throughput_; }
    SystemPanel& system() { return *system_; }
    QSplitter& splitter() { return *splitter_; }
    /// The x-axis ends at the last planned step instead of the end of the data.
    QAction* wholePlan() const { return wholePlan_; }

    /// Draws these runs. Called again when their rows, details or states have changed.
    void setRuns(const std::vector<RunRef>& runs);
    /// Reads new rows.
    void refresh();
    void resetZoom();

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QList<CurvePanel*> panels() const;
    void connectBar();
    const Run* current() const;
    void showLines();
    void showUnits();
    void showAxis();
    void showLegend();
    Step endOfAxis(const Run& run) const;
    QString stepWords(Step step, const char* metric, double factor, int decimals) const;
    void updateAge();

    Studio& studio_;
    const RunDetails& details_;
    WatchBar& bar_;
    CurvePanel *loss_, *accuracy_, *throughput_;
    SystemPanel* system_;
    QSplitter* splitter_;
    CurveLegend* legend_;
    QAction* wholePlan_;
    SeriesStore pace_;  ///< the seconds per step of the current run; its tokens per second are those of throughput_
    std::vector<RunRef> runs_;
    std::string axisKey_;

    QTimer ageTimer_;
    QElapsedTimer sinceRow_;
    Step lastRow_ = -1;
    RunRef lastRowOf_;
    double meanInterval_ = 0;  ///< seconds between arrivals of new rows
    QString age_;
};

}  // namespace watch
}  // namespace heddle::ui
