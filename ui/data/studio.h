// SPDX-License-Identifier: GPL-3.0-or-later
// What the pages share: databases, commands to runs, the runs that are shown, and how each group of runs is drawn.
#pragma once

#include "engine/base/json.h"
#include "engine/spec/cost.h"
#include "engine/spec/variant_spec.h"
#include "storage/records.h"
#include "ui/data/commander.h"
#include "ui/data/databases.h"
#include "ui/data/pending_verbs.h"
#include "ui/text/states.h"
#include "ui/widgets/message_strip.h"

#include <QObject>
#include <QSettings>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace heddle::ui {

/// Seconds of a training step: the median, the least and the most of what was measured.
struct StepTime {
    double seconds = 0, least = 0, most = 0;
};

enum class PageId { Compose, Watch, Inspect, Compare, Library };

class Studio : public QObject {
    Q_OBJECT

public:
    /// Returns the control that carries out calls about the runs of a file, or null. Called on the GUI thread; may be empty.
    using ControlOf = std::function<RunControl*(const QString& file)>;
    /// `settings` hold window state and choices, not data. They and the controls must outlive this object.
    Studio(ControlOf controlOf, QSettings& settings, QObject* parent = nullptr);

    Databases& databases() { return databases_; }
    /// Opens a database instead of those that are open; nothing is created. Training in them goes on.
    void open(const QString& file);
    /// Opens a database beside those that are open, or makes it current where it is open already.
    void openBeside(const QString& file);
    /// Edits the current database; fails if none is open.
    void edit(const Edit& edit) { commander_.edit(databases_.currentNumber(), edit); }
    Commander& commander() { return commander_; }
    /// Every verb on a run goes through here.
    PendingVerbs& verbs() { return verbs_; }
    /// "Running", or "Pausing…" while a verb of this window is pending.
    QString stateWord(const Run& run) const;
    QSettings& settings() { return settings_; }

    /// The run that Watch shows; empty for none.
    const RunRef& currentRun() const { return currentRun_; }
    void setCurrentRun(const RunRef& run);

    /// The runs that Watch draws beside it, in order.
    const std::vector<RunRef>& comparedRuns() const { return comparedRuns_; }
    void setComparedRuns(std::vector<RunRef> runs);

    /// The key of the group that others are compared with (drawn in slate); empty for none. Stored in the current database.
    const std::string& baseline() const { return baseline_; }
    void setBaseline(const std::string& group);
    /// Pins the group of the newest run of this plan (plannedKey()), or the plan itself until such a run has begun.
    void setPlannedBaseline(const std::string& planned);

    /// The order of a group of runs, which is drawn everywhere as Theme::runAt(order). 0 is the baseline; others get their
    /// order when their first run appears, and it is stored in the database of that run. If two databases disagree, the current
    /// one counts. A run that has read its data keeps the order that it had while it was planned. -1 for a group without an
    /// order: it has no run, or its database has not been read yet.
    int orderOf(const std::string& group) const;
    int orderOf(const Run& run) const { return orderOf(run.groupKey); }

    /// Describes data files for people. Any thread may call it. Throws when the second argument returns true. The program sets
    /// it.
    using DataInspector = std::function<std::string(const std::vector<std::string>&, const std::function<bool()>&)>;
    const DataInspector& dataInspector() const { return dataInspector_; }
    void setDataInspector(DataInspector inspector) { dataInspector_ = std::move(inspector); }

    /// Measures the memory of one training step (Engine::measureStepMemory). Takes up to seconds; any thread may call it. The
    /// program sets it; it may be empty.
    using StepMeter = std::function<StepMemory(const VariantSpec&, const BatchShape&)>;
    const StepMeter& stepMeter() const { return stepMeter_; }
    void setStepMeter(StepMeter meter) { stepMeter_ = std::move(meter); }

    /// Times the training steps of a run spec, whose vocabularies must be known. Takes seconds; any thread may call it. Throws
    /// when the second argument returns true. The program sets it; it may be empty.
    using StepTimer = std::function<StepTime(const Json&, const std::function<bool()>&)>;
    const StepTimer& stepTimer() const { return stepTimer_; }
    void setStepTimer(StepTimer timer) { stepTimer_ = std::move(timer); }

    /// Counts the steps of a run spec from its data, 0 where only its patience ends it. Otherwise as stepTimer().
    using StepCounter = std::function<std::int64_t(const Json&, const std::function<bool()>&)>;
    const StepCounter& stepCounter() const { return stepCounter_; }
    void setStepCounter(StepCounter counter) { stepCounter_ = std::move(counter); }

    /// Opens a spec (a run-spec or a bare variant document) in Compose, as an unsaved draft named `name`. `run` is the run of
    /// the spec, with whose sizes the draft is counted; empty: none. `key`, such as "train.lr", is shown in the draft.
    void compose(const Json& document, const QString& name, const RunRef& run = {}, const std::string& key = {});
    /// Shows runs on Compare, beside those that the user has chosen there.
    void compare(const std::vector<RunRef>& runs) {
        Q_EMIT compareRequested(runs);
        go(PageId::Compare);
    }
    void go(PageId page) { Q_EMIT pageRequested(page); }
    /// Shows a message that concerns the whole window.
    void report(const MessageStrip::Message& message) { Q_EMIT messageRequested(message); }
    /// The same for a failure.
    void report(const Problem& problem);

Q_SIGNALS:
    void currentRunChanged();
    void comparedRunsChanged();
    /// The baseline or an order has changed.
    void stylesChanged();
    void composeRequested(const heddle::Json& document, const QString& name, const heddle::ui::RunRef& run,
                          const std::string& key);
    void compareRequested(const std::vector<heddle::ui::RunRef>& runs);
    void pageRequested(heddle::ui::PageId page);
    void messageRequested(const heddle::ui::MessageStrip::Message& message);

private:
    /// The orders and the baseline that a database stores.
    struct VariantColours {
        std::map<std::string, int> orders;
        std::string baseline;
    };
    static VariantColours readColours(storage::RunQuery& query);
    int take(const QString& file);
    void forget(int database);
    void requestColours(int database);
    void mergeColours();
    void storeBaseline(const std::string& group);
    bool assignOrders();
    void takePlannedOrder(const Run& run);
    void assign(const Run& run, int order);

    ControlOf controlOf_;
    QSettings& settings_;
    Databases databases_;
    Commander commander_;
    PendingVerbs verbs_;
    RunRef currentRun_;
    std::vector<RunRef> comparedRuns_;
    std::map<int, VariantColours> stored_;  ///< by database
    std::string baseline_;
    std::map<std::string, int> orders_;  ///< merged
    DataInspector dataInspector_;
    StepMeter stepMeter_;
    StepTimer stepTimer_;
    StepCounter stepCounter_;
};

/// Whether the run's name ends with its seed: "full-s2", "full, seed 2".
bool saysSeed(const storage::RunRecord& run);
/// "eau-full-k128 s4": the run's name, its seed unless the name ends with it, and a note on synthetic data.
QString runLabel(const storage::RunRecord& run);
/// The same, with the database's name while several are open.
QString runLabel(const Run& run);
/// The mark of a run's state.
Mark markOf(const storage::RunRecord& run);

}  // namespace heddle::ui
