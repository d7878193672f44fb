// SPDX-License-Identifier: GPL-3.0-or-later
// The state that pages share: open databases, commands, colours of variants, the runs shown, messages.
#pragma once

#include "app/study/study_progress.h"
#include "app/study/submissions.h"
#include "engine/base/json_fwd.h"
#include "engine/spec/cost.h"
#include "engine/spec/plan.h"
#include "engine/spec/variant_spec.h"
#include "storage/records.h"
#include "storage/run_store.h"
#include "ui/data/commander.h"
#include "ui/data/databases.h"
#include "ui/data/pending_verbs.h"
#include "ui/data/variant_colours.h"
#include "ui/text/states.h"
#include "ui/widgets/message_strip.h"

#include <QObject>
#include <QSettings>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace heddle::ui {

/// Seconds of a training step: median, minimum and maximum of the measurements.
struct StepTime {
    double seconds = 0, least = 0, most = 0;
};

/// Functions of the engine for the window, for any thread; a call may take seconds. Those with a predicate throw if it is true.
struct EngineServices {
    /// Creates a run database unless the file exists.
    std::function<void(const std::string&)> createDatabase;
    /// Describes data files for people.
    std::function<std::string(const std::vector<std::string>&, const std::function<bool()>&)> dataInspector;
    /// Measures the memory of one training step (Engine::measureStepMemory); may be empty.
    std::function<StepMemory(const VariantSpec&, const BatchShape&)> stepMeter;
    /// Times the training steps of a run spec, whose vocabularies must be known; may be empty.
    std::function<StepTime(const Json&, const std::function<bool()>&)> stepTimer;
    /// Counts the steps of a run spec from its data, 0 if only early stopping ends it; may be empty.
    std::function<std::int64_t(const Json&, const std::function<bool()>&)> stepCounter;
    /// A change of rows.
    using Change = std::function<void(storage::RunStore&)>;
    /// Returns, on the GUI thread, what carries out a change of the rows of a file, in one transaction and on a queue of
    /// Commander. That throws StorageError while another process owns the database.
    std::function<std::function<void(const Change&)>(const QString& file)> changerOf;
    /// The same for making and evaluating means of weights, which may take minutes.
    std::function<std::function<void(const std::vector<app::AveragedValue>&)>(const QString& file)> averagerOf;
    /// Returns, on the GUI thread, the submissions of a file to Slurm; may be empty.
    std::function<std::shared_ptr<app::Submissions>(const QString& file)> submissionsOf;
};

class SlurmWatcher;

enum class PageId { Compose, Watch, Inspect, Compare, Library };

class Studio : public QObject {
    Q_OBJECT

public:
    /// Returns the control that carries out calls about the runs of a file, or null. Called on the GUI thread; may be empty.
    using ControlOf = std::function<RunControl*(const QString& file)>;
    /// `settings` store window state and choices. They and the controls must outlive this object.
    Studio(ControlOf controlOf, QSettings& settings, QObject* parent = nullptr);
    ~Studio() override;

    Databases& databases() { return databases_; }
    /// Opens an existing database instead of those that are open. Training in them continues.
    void open(const QString& file);
    /// Opens a database in addition to those that are open, or makes it current if it is open.
    void openBeside(const QString& file);
    /// Opens a database instead of those that are open, and creates it if it is missing.
    void create(const QString& file);
    /// Edits the current database; fails if none is open.
    void edit(const Edit& edit) { commander_.edit(databases_.currentNumber(), edit); }
    Commander& commander() { return commander_; }
    /// Carries out all verbs on runs.
    PendingVerbs& verbs() { return verbs_; }
    /// "Running", or "Pausing…" while a verb of this window is pending.
    QString stateWord(const Run& run) const;
    QSettings& settings() { return settings_; }

    /// The run that Watch shows; empty for none.
    const RunRef& currentRun() const { return currentRun_; }
    void setCurrentRun(const RunRef& run);

    /// The runs that Watch draws with it, in order.
    const std::vector<RunRef>& comparedRuns() const { return comparedRuns_; }
    void setComparedRuns(std::vector<RunRef> runs);

    VariantColours& colours() { return colours_; }
    const VariantColours& colours() const { return colours_; }
    /// Functions of the engine.
    EngineServices& services() { return services_; }
    const EngineServices& services() const { return services_; }
    /// What is submitted to Slurm. It is made at the first call, which needs the services.
    SlurmWatcher& slurm();

    /// Opens a spec (a run-spec or a bare variant document) in Compose, as an unsaved draft named `name`. `run` is the run of
    /// the spec, with whose sizes the draft is counted; empty: none. `key`, such as "train.lr", is shown in the draft.
    void compose(const Json& document, const QString& name, const RunRef& run = {}, const std::string& key = {});
    /// Shows runs on Compare, in addition to those that the user has selected there.
    void compare(const std::vector<RunRef>& runs) {
        Q_EMIT compareRequested(runs);
        go(PageId::Compare);
    }
    /// Puts rows into the plan of Compose, ticked alone, and shows it.
    void plan(const std::vector<PlanRow>& rows) {
        Q_EMIT planRequested(rows);
        go(PageId::Compose);
    }
    /// Asks on Library whether to import the runs that other programs recorded in these files.
    void importRuns(const QStringList& files) {
        go(PageId::Library);
        Q_EMIT importRequested(files);
    }
    void go(PageId page) { Q_EMIT pageRequested(page); }
    /// Shows a message that concerns the whole window.
    void report(const MessageStrip::Message& message) { Q_EMIT messageRequested(message); }
    /// Shows a failure as a message.
    void report(const Problem& problem, const QString& key = {});
    /// Tells that a study, by its key, is over.
    void reportTrained(const std::string& study);
    /// Writes the bytes that `bytes` returns to a file, on a pool thread, and reports success or failure.
    void writeExport(const QString& file, const std::function<QByteArray()>& bytes);

Q_SIGNALS:
    void currentRunChanged();
    void comparedRunsChanged();
    void composeRequested(const heddle::Json& document, const QString& name, const heddle::ui::RunRef& run,
                          const std::string& key);
    void compareRequested(const std::vector<heddle::ui::RunRef>& runs);
    void planRequested(const std::vector<heddle::PlanRow>& rows);
    void importRequested(const QStringList& files);
    void pageRequested(heddle::ui::PageId page);
    void messageRequested(const heddle::ui::MessageStrip::Message& message);

private:
    int openFile(const QString& file);
    void removeDatabase(int number);

    ControlOf controlOf_;
    QSettings& settings_;
    Databases databases_;
    Commander commander_;
    PendingVerbs verbs_;
    VariantColours colours_;
    RunRef currentRun_;
    std::vector<RunRef> comparedRuns_;
    EngineServices services_;
    std::unique_ptr<SlurmWatcher> slurm_;
};

/// Whether the run's name ends with its seed: "full-s2", "full, seed 2".
bool nameHasSeed(const storage::RunRecord& run);
/// "eau-full-k128 s4": the run's name, its seed unless the name ends with it, and a note on synthetic data.
QString runLabel(const storage::RunRecord& run);
/// The same label, with the database's name while several are open.
QString runLabel(const Run& run);
/// The mark of a run's state.
Mark markOf(const storage::RunRecord& run);

}  // namespace heddle::ui
