// SPDX-License-Identifier: GPL-3.0-or-later
// The page's tool bar: the run, its verbs, and how curves are drawn. A verb that is not possible stays in its place, disabled.
#pragma once

#include "ui/data/run_actions.h"
#include "ui/panels/curve_panel.h"

#include <QToolBar>

#include <vector>

class QComboBox;
class QSlider;
class QSpinBox;
class QToolButton;

namespace heddle::ui::watch {

class WatchBar : public QToolBar {
    Q_OBJECT

public:
    /// `onRuns` acts on the run shown; it must outlive the bar.
    WatchBar(RunActions& onRuns, QWidget* parent);

    void setRuns(const std::vector<const Run*>& runs, const RunRef& current);
    /// Sets the x-axes that the run can offer.
    void setAxes(const QList<XAxis>& possible);

    XAxis axis() const;
    /// Chooses the axis as soon as the run offers it.
    void wishAxis(XAxis axis);
    void nextAxis();
    int smoothing() const;
    void setSmoothing(int steps);
    /// Smooths as suits a curve of so many steps, until the user chooses a number.
    void suggestSmoothing(std::int64_t steps);
    bool smoothingIsChosen() const { return smoothingIsChosen_; }
    /// On: each run is shown as it starts.
    QAction* followAction() const { return follow_; }
    QAction* logAction() const { return log_; }
    QAction* linkAction() const { return link_; }
    void focusSmoothing();

Q_SIGNALS:
    void runChosen(const heddle::ui::RunRef& run);
    void axisChanged();
    void smoothingChanged(int steps);

private:
    void buildVerbs();
    void buildAxis();
    void buildSmoothing();
    QToolButton* addButton(QAction* action);

    QComboBox *runs_, *axes_;
    XAxis wished_ = XAxis::Steps;
    RunActions& onRuns_;
    QAction *follow_, *log_, *link_;
    QSlider* slider_ = nullptr;
    QSpinBox* steps_ = nullptr;
    bool smoothingIsChosen_ = false;
};

/// A two-hundredth of the run, as 1, 2 or 5 times a power of ten; 0 (off) for runs of less than 400 steps.
int usualSmoothing(std::int64_t totalSteps);

}  // namespace heddle::ui::watch
