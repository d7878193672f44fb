// SPDX-License-Identifier: GPL-3.0-or-later
// The current run and those that it is compared with: which curves are drawn, and the valid loss of each run at a step.
#pragma once

#include "ui/data/run_details.h"
#include "ui/data/studio.h"
#include "ui/data/subject.h"

#include <QWidget>

#include <set>

class QLabel;
class QListWidget;
class QListWidgetItem;

namespace heddle::ui::watch {

class CurveList : public QWidget {
    Q_OBJECT

public:
    /// Both must outlive the list.
    CurveList(Studio& studio, const RunDetails& details, QWidget* parent);

    /// Of an item: RunRef::key(), empty for the header of hidden runs; Theme::runAt(); the valid loss in words.
    enum Role { RunRole = Qt::UserRole, OrderRole, ValueRole };
    QListWidget& view() { return *view_; }
    /// Hide or show a run's curve; hide all other curves; stop comparing a run (its key works in the list only).
    QAction* hideOne() const { return hideOne_; }
    QAction* hideOthers() const { return hideOthers_; }
    QAction* stopComparing() const { return stopComparing_; }

    /// The current run, then the compared ones, with hidden ones; only runs of open databases.
    std::vector<RunRef> runs() const;
    /// Those whose curves are drawn.
    std::vector<RunRef> drawn() const;
    /// The current run and the first other run that is drawn, at `step`; without a step, at the last step of the current run.
    Subject subject(std::optional<Step> step) const;
    void show(Step step);

Q_SIGNALS:
    /// The user has hidden curves or shown hidden ones.
    void drawnChanged();

private:
    void fill(QListWidgetItem& item, const RunRef& run, Step step) const;
    RunRef listed() const;
    RunRef target() const;
    RunRef listedCompared() const;
    void toggle(const RunRef& run);
    void toggleOthers();
    void endComparison();
    void nameTarget();

    Studio& studio_;
    const RunDetails& details_;
    QLabel* caption_;
    QListWidget* view_;
    QAction *hideOne_, *hideOthers_, *stopComparing_;
    std::set<RunRef> hidden_;
    std::vector<RunRef> rows_;  ///< of the view; an empty one is the header of the hidden runs
};

}  // namespace heddle::ui::watch
