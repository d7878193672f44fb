// SPDX-License-Identifier: GPL-3.0-or-later
// The actions on the runs that a page acts on, for its menu, its buttons and the palette.
#pragma once

#include "engine/run/run_state.h"
#include "ui/data/run_database.h"

#include <QAction>
#include <QObject>
#include <QPointer>
#include <QWidget>

#include <map>
#include <vector>

namespace heddle::ui {

enum class PageId;
class Studio;

/// The text of each action contains its run ("Stop eau-full s1"). Its iconText, for buttons next to the run, is the verb only,
/// or "Pausing…" while the verb is pending. Pause, Resume, Checkpoint and Stop are enabled where the transition table allows
/// them for all of the runs; the other actions show the runs on a page or make a draft of one.
class RunActions : public QObject {
    Q_OBJECT

public:
    explicit RunActions(Studio& studio, QObject* parent = nullptr);

    /// Sets the runs that the page shows; runs that are in no open database are left out.
    void setRuns(std::vector<RunRef> runs);

    /// The action of Pause, Resume, Checkpoint or Stop. Resume also starts a new attempt of a run that ended before it was
    /// complete, and a run that is left in the queue.
    QAction& action(RunVerb verb) const { return *actions_.at(verb); }
    /// Pause or Resume, depending on the state.
    QAction& pauseOrResume() const { return *toggle_; }
    /// Shows the run on Watch or on Inspect.
    QAction& watch() const { return *watch_; }
    QAction& inspect() const { return *inspect_; }
    /// Ticks the runs on Compare.
    QAction& compare() const { return *compare_; }
    /// Opens the run's spec in Compose as a draft.
    QAction& clone() const { return *clone_; }
    /// Asks for one of the run's kept checkpoints, and opens a draft that starts from its weights.
    QAction& fork() const { return *fork_; }
    /// Opens the run's spec in Compose as a draft, at `key`.
    void openClone(const std::string& key = {});

private:
    void refresh();
    void refreshVerbs(const std::vector<const Run*>& runs, const QString& target);
    /// Whether the verb is pending for one of the runs.
    bool isPending(RunVerb verb) const;
    void carryOut(RunVerb verb);
    void show(PageId page);
    void askForCheckpoint();
    void offerCheckpoints(const RunRef& ref, const std::vector<storage::CheckpointRecord>& kept);
    void openFork(const RunRef& ref, const storage::CheckpointRecord& checkpoint);
    std::vector<const Run*> records() const;
    const Run* single() const;  ///< null unless there is one run

    Studio& studio_;
    std::vector<RunRef> runs_;
    std::map<RunVerb, QAction*> actions_;
    QAction *toggle_, *watch_, *inspect_, *compare_, *clone_, *fork_;
    QPointer<QWidget> forkButton_;  ///< the button that triggered Fork; null: a menu or the palette
};

/// The runs of an action for its text: "eau-full s1" for one, "3 runs" for several, empty for none.
QString targetOf(const Run* first, std::size_t runs = 1);
/// Sets the text of an action to `named` ("Stop %1") with `target`; without a target, to its iconText, the verb only.
void setTarget(QAction& action, const QString& named, const QString& target);

}  // namespace heddle::ui
