// SPDX-License-Identifier: GPL-3.0-or-later
// The page's tool bar: the run shown, its verbs, and how curves are drawn. A verb that is not possible stays in its place,
// disabled.
#pragma once

#include "ui/data/run_actions.h"
#include "ui/pages/watch/x_axis.h"
#include "ui/theme/tokens.h"

#include <QToolBar>

#include <optional>
#include <set>

class QComboBox;
class QSettings;
class QSlider;
class QSpinBox;

namespace heddle::ui {

class RunPicker;
class Studio;

namespace watch {

class WatchBar : public QToolBar {
    Q_OBJECT

public:
    /// `onRuns` acts on the run shown; it must outlive the bar.
    WatchBar(Studio& studio, RunActions& onRuns, QWidget* parent);

    /// Shows the newest of the runs that started since the last call, if runs are followed. Where no run is shown, shows the
    /// one in training, else the newest. A current run that no database has yet was just started and stays.
    void chooseRun();
    /// The user chose a run; one that does not train ends following.
    void choose(const RunRef& run);
    /// Sets the x-axes that the run can offer.
    void setAxes(const QList<XAxis>& possible);

    XAxis axis() const;
    /// Chooses the axis as soon as the run offers it.
    void wishAxis(XAxis axis);
    void nextAxis();
    /// In steps; what suits the length of the run until the user chooses a number.
    int smoothing() const;
    void setSmoothing(int steps);
    /// On: each run is shown as it starts.
    QAction* followAction() const { return follow_; }
    QAction* logAction() const { return log_; }
    QAction* linkAction() const { return link_; }
    void focusSmoothing();
    void saveSession(QSettings& settings) const;
    void restoreSession(const QSettings& settings);

Q_SIGNALS:
    void axisChanged();
    void smoothingChanged(int steps);

private:
    QAction* toggle(const QString& text, std::optional<Icon> icon, const QString& tip, bool on);
    void buildVerbs();
    void buildAxis();
    void buildSmoothing();
    void follow();
    void suggestSmoothing();

    Studio& studio_;
    RunActions& onRuns_;
    RunPicker* runs_;
    QComboBox* axes_;
    QList<XAxis> possible_;
    XAxis wished_ = XAxis::Steps;
    RunRef seen_;                           ///< the current run, once its database knew it
    std::optional<std::set<RunRef>> live_;  ///< runs in training at the last call of chooseRun()
    QAction *follow_, *log_, *link_;
    QSlider* slider_ = nullptr;
    QSpinBox* steps_ = nullptr;
    bool smoothingIsChosen_ = false;
};

/// A two-hundredth of the run, as 1, 2 or 5 times a power of ten; 0 (off) for runs of less than 400 steps.
int usualSmoothing(std::int64_t totalSteps);

}  // namespace watch
}  // namespace heddle::ui
