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
    /// Hide a run's curve or show it again; hide all but one; and stop comparing a run, for the keys of the list alone.
    QAction* hideOne() const { return hideOne_; }
    QAction* hideOthers() const { return hideOthers_; }
    QAction* stopComparing() const { return stopComparing_; }

    /// The runs that a database knows, hidden ones among them; the current one is the first.
    std::vector<RunRef> runs() const;
    /// Those whose curves are drawn.
    std::vector<RunRef> drawn() const;
    /// The current run beside the first other that is drawn, at a step; nothing: at its last one.
    Subject subject(std::optional<Step> step) const;
    void show(Step step);

Q_SIGNALS:
    /// The user hid curves, or shows them again.
    void drawnChanged();

private:
    QAction* action(const QString& text, const QKeySequence& key, void (CurveList::*act)());
    void fill(QListWidgetItem& item, const RunRef& run, Step step) const;
    RunRef listed() const;
    RunRef target() const;
    RunRef listedCompared() const;
    void toggle(const RunRef& run);
    void toggleTarget() { toggle(target()); }
    void toggleOthers();
    void endComparison();
    void nameTarget();

    Studio& studio_;
    const RunDetails& details_;
    QLabel* caption_;
    QListWidget* view_;
    QAction *hideOne_, *hideOthers_, *stopComparing_;
    std::set<RunRef> hidden_;
    std::vector<RunRef> rows_;  ///< of the view
};

}  // namespace heddle::ui::watch
