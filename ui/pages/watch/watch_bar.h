// SPDX-License-Identifier: GPL-3.0-or-later
// The page's tool bar: the run shown, its verbs, and the drawing of curves. A verb that is not allowed is disabled, not hidden.
#pragma once

#include "ui/data/run_actions.h"
#include "ui/pages/watch/x_axis.h"

#include <QToolBar>

#include <optional>
#include <set>

class QComboBox;
class QSlider;
class QSpinBox;

namespace heddle::ui {

struct ActionInfo;
class StoredChoices;
class RunPicker;
class Studio;

namespace watch {

class WatchBar : public QToolBar {
    Q_OBJECT

public:
    /// `onRuns` acts on the run shown; it must outlive the bar.
    WatchBar(Studio& studio, RunActions& onRuns, QWidget* parent);

    /// If runs are followed, shows the newest of those that started since the last call. If no run is shown, shows the one in
    /// training, else the newest. A current run that is in no database yet has just been started and stays.
    void chooseRun();
    /// Shows the run that the user chose. A run that does not train switches following off.
    void choose(const RunRef& run);
    /// Sets the x-axes that are possible for the run.
    void setAxes(const QList<XAxis>& possible);

    XAxis axis() const;
    /// Shows the axis, now or as soon as it is possible.
    void setAxis(XAxis axis);
    void nextAxis();
    /// In steps; defaultSmoothing() of the run until the user chooses a number.
    int smoothing() const;
    void setSmoothing(int steps);
    /// On: each run is shown as it starts.
    QAction* followAction() const { return follow_; }
    QAction* logAction() const { return log_; }
    QAction* linkAction() const { return link_; }
    void focusSmoothing();
    void storeChoices(StoredChoices& choices);

Q_SIGNALS:
    void axisChanged();
    void smoothingChanged(int steps);

private:
    enum class Toggle { Off, On };
    QAction* toggle(const ActionInfo& info, Toggle state);
    void buildVerbs();
    void buildAxis();
    void buildSmoothing();
    void follow();
    void applyDefaultSmoothing();

    Studio& studio_;
    RunActions& onRuns_;
    RunPicker* runs_;
    QComboBox* axes_;
    QList<XAxis> possible_;
    XAxis wanted_ = XAxis::Steps;           ///< shown as soon as it is possible
    RunRef seen_;                           ///< the current run, once its database has had it
    std::optional<std::set<RunRef>> live_;  ///< runs in training at the last call of chooseRun()
    QAction *follow_, *log_, *link_;
    QSlider* slider_ = nullptr;
    QSpinBox* steps_ = nullptr;
    bool smoothingIsChosen_ = false;
};

/// A two-hundredth of the run's steps, as 1, 2 or 5 times a power of ten; 0 (off) for runs of less than 400 steps.
int defaultSmoothing(std::int64_t totalSteps);

}  // namespace watch
}  // namespace heddle::ui
