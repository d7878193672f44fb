// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/run_actions.h"

#include "engine/base/json.h"
#include "engine/spec/foreign_spec.h"
#include "storage/run_store.h"
#include "ui/data/studio.h"
#include "ui/text/number.h"
#include "ui/widgets/small_parts.h"

#include <QAbstractButton>
#include <QApplication>
#include <QCursor>
#include <QMenu>

#include <algorithm>

namespace heddle::ui {
namespace {

constexpr qsizetype kLongestTarget = 48;

struct VerbWords {
    const char* id;  ///< the object name of the action
    Icon icon;
    QString alone, named, tip;
};

VerbWords wordsOf(RunVerb verb) {
    switch (verb) {
    case RunVerb::Pause:
        return {"pause", Icon::Pause, RunActions::tr("Pause"), RunActions::tr("Pause %1"),
                RunActions::tr("Pause after the current step")};
    case RunVerb::Stop:
        return {"stop", Icon::Stop, RunActions::tr("Stop"), RunActions::tr("Stop %1"),
                RunActions::tr("Write a checkpoint and stop after the current step")};
    case RunVerb::Checkpoint:
        return {"checkpoint", Icon::Save, RunActions::tr("Checkpoint"), RunActions::tr("Write a checkpoint of %1"),
                RunActions::tr("Write a checkpoint after the current step")};
    default:
        return {"resume", Icon::Play, RunActions::tr("Resume"), RunActions::tr("Resume %1"),
                RunActions::tr("Continue; a run that has ended continues from its newest intact checkpoint")};
    }
}

/// The verb to carry out for `verb` in the state of the run; nothing where it is not allowed.
std::optional<RunVerb> effectiveVerb(RunVerb verb, const storage::RunRecord& run) {
    const auto state = runStateFromName(run.state);
    if (!state) return std::nullopt;
    if (verb == RunVerb::Resume && (isAllowed(*state, RunVerb::Start) || state == RunState::Queued)) return RunVerb::Start;
    return isAllowed(*state, verb) ? std::optional(verb) : std::nullopt;
}

/// The spec of a draft that starts from the weights of a checkpoint, as `heddle fork` makes it: blocks that the checkpoint
/// lacks start with no effect where possible. `file`: the database. Throws Error for a spec that cannot be read.
Json forkOf(const storage::RunRecord& run, const storage::CheckpointRecord& checkpoint, const std::string& file) {
    Json document = parseJson(run.spec, "spec of run " + run.id);
    document["name"] = "";
    Json& start = document["train"]["start"];
    start["checkpoint"] = storage::artifactFolder(file) + '/' + checkpoint.folder;
    start["weights_sha256"] = checkpoint.weightsSha256;
    start["neutral"] = true;
    start.erase("state");
    return document;
}

}  // namespace

QString targetOf(const Run* first, std::size_t runs) {
    if (!first || runs == 0) return {};
    if (runs > 1) return RunActions::tr("%Ln run(s)", nullptr, int(runs));
    QString label = runLabel(*first).simplified();
    if (label.size() <= kLongestTarget) return label;
    return label.left(kLongestTarget / 2) + QChar(0x2026) + label.right(kLongestTarget / 2);
}

void setTarget(QAction& action, const QString& named, const QString& target) {
    const QString alone = action.iconText();
    action.setText(target.isEmpty() ? alone : named.arg(QString(target).replace(QLatin1Char('&'), QLatin1String("&&"))));
    action.setIconText(alone);
}

RunActions::RunActions(Studio& studio, QObject* parent) : QObject(parent), studio_(studio), toggle_(new QAction(this)) {
    const auto make = [this](const char* name, Icon icon, const QString& alone, const QString& tip, auto does) {
        return makeAction(this, {name, alone, icon, {}, tip}, does);
    };
    for (const RunVerb verb : {RunVerb::Pause, RunVerb::Resume, RunVerb::Checkpoint, RunVerb::Stop}) {
        const VerbWords words = wordsOf(verb);
        actions_[verb] = make(words.id, words.icon, words.alone, words.tip, [this, verb] { carryOut(verb); });
    }
    watch_ = make("showInWatch", Icon::Watch, tr("Show in Watch"), tr("Curves, attention and gates of the run"),
                  [this] { show(PageId::Watch); });
    inspect_ = make("showInInspect", Icon::Inspect, tr("Show in Inspect"),
                    tr("Heads and gates of the run, and the effect of changing them"), [this] { show(PageId::Inspect); });
    compare_ = make("compare", Icon::Compare, tr("Compare"), tr("Select the runs on Compare and draw their curves there"),
                    [this] { studio_.compare(runs_); });
    clone_ =
        make("clone", Icon::Copy, tr("Clone"), tr("Open the run's spec in Compose as a new draft"), [this] { openClone(); });
    fork_ = make("fork", Icon::Fork, tr("Fork…"),
                 tr("Open a draft in Compose that starts from the weights of one of the run's checkpoints"),
                 [this] { askForCheckpoint(); });
    toggle_->setObjectName(QStringLiteral("pauseOrResume"));
    toggle_->setIconText(tr("Pause or resume"));
    connect(toggle_, &QAction::triggered, this, [this] {
        for (const RunVerb verb : {RunVerb::Pause, RunVerb::Resume})
            if (action(verb).isEnabled()) return action(verb).trigger();
    });
    connect(&studio_.databases(), &Databases::runsChanged, this, &RunActions::refresh);
    connect(&studio_.verbs(), &PendingVerbs::changed, this, &RunActions::refresh);
    refresh();
}

void RunActions::setRuns(std::vector<RunRef> runs) {
    runs_ = std::move(runs);
    refresh();
}

std::vector<const Run*> RunActions::records() const {
    std::vector<const Run*> found;
    for (const auto& ref : runs_)
        if (const auto* run = studio_.databases().run(ref)) found.push_back(run);
    return found;
}

bool RunActions::isPending(RunVerb verb) const {
    return std::any_of(runs_.begin(), runs_.end(), [&](const RunRef& run) {
        const auto pending = studio_.verbs().of(run);
        return pending && (*pending == verb || (verb == RunVerb::Resume && *pending == RunVerb::Start));
    });
}

const Run* RunActions::single() const { return runs_.size() == 1 ? studio_.databases().run(runs_.front()) : nullptr; }

void RunActions::refresh() {
    const auto runs = records();
    const QString target = targetOf(runs.empty() ? nullptr : runs.front(), runs.size());
    refreshVerbs(runs, target);
    setTarget(*watch_, tr("Show %1 in Watch"), target);
    setTarget(*inspect_, tr("Show %1 in Inspect"), target);
    setTarget(*compare_, tr("Compare %1"), target);
    setTarget(*clone_, tr("Clone %1"), target);
    setTarget(*fork_, tr("Fork %1…"), target);
    const Run* one = single();
    for (QAction* action : {watch_, inspect_, clone_}) action->setEnabled(one);
    compare_->setEnabled(!runs.empty());
    fork_->setEnabled(one && !one->damaged);
}

void RunActions::refreshVerbs(const std::vector<const Run*>& runs, const QString& target) {
    for (const auto& [verb, action] : actions_) {
        const VerbWords words = wordsOf(verb);
        const bool may = !runs.empty() && std::all_of(runs.begin(), runs.end(), [verb = verb](const auto* run) {
            return effectiveVerb(verb, *run).has_value();
        });
        action->setIconText(words.alone);
        setTarget(*action, words.named, target);
        if (isPending(verb)) action->setIconText(pendingWord(verb));
        action->setEnabled(may && !isPending(verb));
    }
    const QAction& meant = action(action(RunVerb::Pause).isEnabled() ? RunVerb::Pause : RunVerb::Resume);
    toggle_->setText(meant.isEnabled() ? meant.text() : toggle_->iconText());
    toggle_->setIcon(meant.icon());
    toggle_->setEnabled(meant.isEnabled());
}

void RunActions::carryOut(RunVerb verb) {
    for (const auto* run : records())
        if (const auto effective = effectiveVerb(verb, *run)) studio_.verbs().carryOut(run->ref, *effective);
}

void RunActions::show(PageId page) {
    if (const Run* run = single()) studio_.setCurrentRun(run->ref);
    studio_.go(page);
}

void RunActions::openClone(const std::string& key) {
    const Run* run = single();
    if (!run) return;
    try {
        requireOwn(run->spec, "run " + run->id);
        studio_.compose(parseJson(run->spec, "spec of run " + run->id), tr("%1 copy").arg(QString::fromStdString(run->name)),
                        run->ref, key);
    } catch (const std::exception& error) {
        studio_.report(problemOf(error));
    }
}

void RunActions::askForCheckpoint() {
    const Run* run = single();
    if (!run) return;
    forkButton_ = nullptr;
    for (QObject* place : fork_->associatedObjects())
        if (auto* button = qobject_cast<QAbstractButton*>(place); button && button->isVisible())
            if (button->underMouse() || button->hasFocus()) forkButton_ = button;
    ask(
        this, studio_.databases().reader(run->ref.database),
        [id = run->id](storage::RunQuery& query) { return query.checkpoints(id); },
        [this, ref = run->ref](Result<std::vector<storage::CheckpointRecord>> kept) {
            if (!kept) return studio_.report(kept.problem());
            std::erase_if(*kept, [](const auto& one) { return one.damaged || storage::isAverage(one.kind); });
            offerCheckpoints(ref, *kept);
        });
}

/// Opens a menu below the button that was pressed, or in the middle of the window if it was a menu or the palette.
void RunActions::offerCheckpoints(const RunRef& ref, const std::vector<storage::CheckpointRecord>& kept) {
    const Run* run = studio_.databases().run(ref);
    if (!run) return;
    if (kept.empty())
        return studio_.report(Problem{tr("%1 has no checkpoint to fork from").arg(runLabel(*run)),
                                      {},
                                      {},
                                      tr("Choose Checkpoint while a run trains to write one.")});
    QWidget* window = QApplication::activeWindow();
    auto* menu = new QMenu(window);
    menu->setObjectName(QStringLiteral("forkMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addSection(tr("Fork %1 at").arg(runLabel(*run)));
    std::map<std::int64_t, QStringList, std::greater<>> kinds;  // a checkpoint may be of two kinds
    for (const auto& checkpoint : kept) kinds[checkpoint.step] << QString::fromStdString(checkpoint.kind);
    for (const auto& [step, words] : kinds) {
        const auto checkpoint = std::find_if(kept.begin(), kept.end(), [at = step](const auto& one) { return one.step == at; });
        menu->addAction(tr("step %1 · %2").arg(count(step), words.join(QStringLiteral(", "))), this,
                        [this, ref, checkpoint = *checkpoint] { openFork(ref, checkpoint); });
    }
    menu->setActiveAction(menu->actions().at(1));
    if (forkButton_ && forkButton_->isVisible()) return menu->popup(forkButton_->mapToGlobal(forkButton_->rect().bottomLeft()));
    menu->popup(window ? window->mapToGlobal(window->rect().center()) - menu->sizeHint().width() / 2 * QPoint(1, 0)
                       : QCursor::pos());
}

void RunActions::openFork(const RunRef& ref, const storage::CheckpointRecord& checkpoint) {
    const Run* run = studio_.databases().run(ref);
    if (!run) return;
    try {
        studio_.compose(forkOf(*run, checkpoint, studio_.databases().fileOf(ref).toStdString()),
                        tr("%1 from step %2").arg(QString::fromStdString(run->name)).arg(checkpoint.step), ref);
        studio_.report(
            MessageStrip::Message{StripKind::Info,
                                  tr("This draft starts from step %1 of %2").arg(count(checkpoint.step), runLabel(*run)),
                                  tr("Blocks that the checkpoint lacks start with no effect where possible. Make your changes, "
                                     "then start the run with Plan experiment."),
                                  {}});
    } catch (const std::exception& error) {
        studio_.report(problemOf(error));
    }
}

}  // namespace heddle::ui
