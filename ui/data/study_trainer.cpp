// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/study_trainer.h"

#include "engine/run/run_state.h"
#include "storage/run_query.h"
#include "ui/theme/icons.h"
#include "ui/widgets/small_parts.h"

#include <QAction>

#include <algorithm>
#include <utility>

namespace heddle::ui {
namespace {

/// A run of the study that was begun here and is left in the middle, as after Stop; null if there is none.
const app::PlannedRun* leftRun(const app::StudyProgress& progress, const std::set<std::string>& begun) {
    const auto left = std::find_if(progress.next.begin(), progress.next.end(),
                                   [&](const app::PlannedRun& run) { return begun.contains(run.id); });
    return left == progress.next.end() ? nullptr : &*left;
}

}  // namespace

StudyTrainer::StudyTrainer(Studio& studio, StudyComparer& comparer, QObject* parent)
    : QObject(parent),
      studio_(studio),
      comparer_(comparer),
      slurm_(studio.slurm()),
      action_(makeAction(this, {"trainStudy", tr("Train study"), Icon::Play}, [this] { trainOrPause(); })),
      onSlurm_(makeAction(this, {"studyOnSlurm", tr("On Slurm…"), Icon::Chip}, [this] { requestSubmission(); })),
      looking_(this, [this](Result<app::StudyProgress> look) { take(std::move(look)); }) {
    connect(&comparer, &StudyComparer::studiesChanged, this, [this] {
        lookAtShown();
        refresh();
    });
    // A study that is only shown is looked at when its comparison is new, which is while the page is shown.
    connect(&comparer, &StudyComparer::changed, this, &StudyTrainer::lookAtShown);
    connect(&studio.databases(), &Databases::runsChanged, this, [this] {
        for (const auto& [name, training] : training_) lookAt(name);
    });
    connect(&studio.databases(), &Databases::closed, this, &StudyTrainer::forget);
    connect(&slurm_, &SlurmWatcher::changed, this, &StudyTrainer::refresh);
    refresh();
}

/// Null for a study that is in no open database.
const KnownStudy* StudyTrainer::known(const StudyName& name) const {
    const auto& all = comparer_.studies();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const KnownStudy& one) { return StudyName(one.database, one.key) == name; });
    return found == all.end() ? nullptr : &*found;
}

void StudyTrainer::lookAtShown() {
    if (const auto& study = comparer_.study()) lookAt({study->database, study->key});
}

void StudyTrainer::lookAt(const StudyName& name) {
    due_.insert(name);
    if (looking_.isIdle()) lookAtNext();
}

void StudyTrainer::lookAtNext() {
    while (!due_.empty()) {
        looked_ = due_.extract(due_.begin()).value();
        const KnownStudy* study = known(looked_);
        const RunDatabase* database = studio_.databases().find(looked_.first);
        if (!study || !database || !database->isOpen()) continue;
        return looking_.ask(Pool{}, [study = *study, file = database->file().toStdString()] {
            const auto query = storage::RunQuery::open(file);
            app::StudyRuns runs = studyRunsOf(study, *query, file);
            return app::progressOf(runs, *query, file);
        });
    }
}

void StudyTrainer::take(Result<app::StudyProgress> look) {
    const QString subject = QStringLiteral("%1/%2").arg(looked_.first).arg(QString::fromStdString(looked_.second));
    if (look) {
        reported_.succeeded(subject);
        progress_[looked_] = *look;
        if (training_.contains(looked_)) goOn(looked_, *look);
    } else {
        progress_.erase(looked_);
        if (training_.contains(looked_))
            giveUp(looked_, look.problem());
        else if (reported_.isNew(subject, look.problem()))
            Q_EMIT failed(look.problem());
    }
    refresh();
    lookAtNext();
}

/// Does what comes next in a study that is trained here, where nothing is under way.
void StudyTrainer::goOn(const StudyName& name, const app::StudyProgress& progress) {
    const Training& training = training_.at(name);
    if (training.isPaused || training.requests > 0 || !progress.open.empty()) return;
    if (const app::PlannedRun* left = leftRun(progress, training.begun)) {
        studio_.report(
            MessageStrip::Message{StripKind::Info,
                                  tr("The study %1 is no longer trained: %2 was stopped")
                                      .arg(QString::fromStdString(name.second), QString::fromStdString(left->title())),
                                  tr("Train study goes on with it."),
                                  {},
                                  QStringLiteral("studyTrained")});
        training_.erase(name);
    } else if (!progress.averages.empty() && !training.hasEvaluated) {
        evaluate(name, progress);
    } else if (!progress.next.empty()) {
        begin(name, progress);
    } else if (progress.problem) {
        giveUp(name, problemOf(*progress.problem));
    } else {
        training_.erase(name);
        studio_.reportTrained(name.second);
    }
}

void StudyTrainer::begin(const StudyName& name, const app::StudyProgress& progress) {
    Training& training = training_.at(name);
    const auto failed = [this, name](const Problem& problem) {
        if (training_.contains(name)) giveUp(name, problem);
    };
    const bool isFirst = training.begun.empty();
    training.requests = progress.next.size();
    training.hasEvaluated = false;
    for (std::size_t i = 0; i < progress.next.size(); ++i) {
        const app::PlannedRun& run = progress.next[i];
        const auto done = [this, name, isShown = isFirst && i == 0](const RunRef& ref) {
            if (isShown) studio_.setCurrentRun(ref);
            if (const auto found = training_.find(name); found != training_.end()) {
                found->second.begun.insert(ref.id);
                if (found->second.isPaused) studio_.verbs().carryOut(ref, RunVerb::Stop);
            }
            answered(name);
        };
        if (run.id.empty()) {
            studio_.commander().submit(name.first, {run.spec, progress.group}, done, failed);
        } else {
            const RunRef ref(name.first, run.id);
            studio_.commander().command(ref, RunVerb::Start, {[done, ref] { done(ref); }, failed});
        }
    }
}

void StudyTrainer::evaluate(const StudyName& name, const app::StudyProgress& progress) {
    const RunDatabase* database = studio_.databases().find(name.first);
    if (!database) return;  // closed, which ends its trainings
    Training& training = training_.at(name);
    training.requests = 1;
    training.hasEvaluated = true;
    const auto evaluate = [evaluator = studio_.services().averagerOf(database->file()), asked = progress.averages] {
        evaluator(asked);
    };
    studio_.commander().run(name.first, evaluate,
                            {[this, name] { answered(name); },
                             [this, name](const Problem& problem) {
                                 if (training_.contains(name)) giveUp(name, problem);
                             }});
}

/// What was read before the answer is older than it.
void StudyTrainer::answered(const StudyName& name) {
    const auto found = training_.find(name);
    if (found == training_.end() || --found->second.requests > 0) return;
    if (found->second.isPaused) training_.erase(found);
    if (!looking_.isIdle()) {
        looking_.cancel();
        due_.insert(looked_);
    }
    lookAt(name);
}

void StudyTrainer::giveUp(const StudyName& name, const Problem& problem) {
    training_.erase(name);
    refresh();
    Q_EMIT failed(problem);
}

void StudyTrainer::forget(int database) {
    std::erase_if(training_, [&](const auto& one) { return one.first.first == database; });
    std::erase_if(progress_, [&](const auto& one) { return one.first.first == database; });
    refresh();
}

void StudyTrainer::trainOrPause() {
    const auto& study = comparer_.study();
    if (!study) return;
    const StudyName name(study->database, study->key);
    const auto progress = progress_.find(name);
    const auto submitted = slurm_.ofStudy(study->database, study->key);
    const bool isOnSlurm = submitted && submitted->submission.isOpen();
    const bool isHere = training_.contains(name) || (progress != progress_.end() && !progress->second.open.empty());
    if (isOnSlurm) slurm_.cancel(*submitted);
    if (isHere) {
        pause(name);
    } else if (!isOnSlurm) {
        training_[name];
        lookAt(name);
    }
    refresh();
}

/// Stops what the last look found and what was begun since. Those that wait are first taken out of the queue, so that none
/// begins when one stops.
void StudyTrainer::pause(const StudyName& name) {
    app::StudyProgress& progress = progress_[name];
    std::set<std::string> ids(progress.open.begin(), progress.open.end());
    if (const auto training = training_.find(name); training != training_.end()) {
        ids.insert(training->second.begun.begin(), training->second.begun.end());
        training->second.isPaused = true;
        if (training->second.requests == 0) training_.erase(training);
    }
    std::vector<RunRef> waiting, active;
    for (const std::string& id : ids) {
        const RunRef ref(name.first, id);
        const Run* run = studio_.databases().run(ref);
        const auto state = run ? runStateFromName(run->state) : RunState::Queued;
        if (state && !isFinal(*state)) (*state == RunState::Queued ? waiting : active).push_back(ref);
    }
    progress.open.clear();  // until the next look: those that are being stopped
    for (const auto* runs : {&waiting, &active})
        for (const RunRef& ref : *runs) {
            progress.open.push_back(ref.id);
            if (studio_.verbs().of(ref) != RunVerb::Stop) studio_.verbs().carryOut(ref, RunVerb::Stop);
        }
}

void StudyTrainer::requestSubmission() {
    const auto& study = comparer_.study();
    if (!study) return;
    const auto progress = progress_.find({study->database, study->key});
    if (progress != progress_.end()) Q_EMIT submissionRequested(*study, int(progress->second.next.size()));
}

void StudyTrainer::refresh() {
    const auto& study = comparer_.study();
    const StudyName name = study ? StudyName(study->database, study->key) : StudyName();
    const auto found = progress_.find(name);
    const app::StudyProgress* progress = study && found != progress_.end() ? &found->second : nullptr;
    const auto training = training_.find(name);
    const auto submitted = study ? slurm_.ofStudy(study->database, study->key) : std::nullopt;
    const bool isOnSlurm = submitted && submitted->submission.isOpen();
    const bool isPausing = isOnSlurm ? !submitted->submission.hasJobs() && !submitted->submission.goesOn
                                     : training != training_.end() && training->second.isPaused;
    const bool isTraining = isOnSlurm || training != training_.end() || (progress && !progress->open.empty());
    const bool canTrain = progress && !progress->isOver();
    action_->setIcon(themeIcon(isTraining ? Icon::Pause : Icon::Play));
    action_->setText(isTraining ? tr("Pause study") : tr("Train study"));
    action_->setEnabled((isTraining && !isPausing) || (!isTraining && canTrain));
    if (isOnSlurm)
        action_->setToolTip(
            tr("Cancel the study's jobs; what they have trained stays. On Slurm… goes on from their checkpoints."));
    else if (isTraining)
        action_->setToolTip(
            tr("Stop the study's runs with a checkpoint and take the others out of the queue. Train study goes on "
               "exactly where it was."));
    else if (canTrain)
        action_->setToolTip(tr("Train the %Ln run(s) that the study asks for next, and those after them until all is decided.",
                               nullptr, int(progress->next.size())));
    else if (progress && progress->problem)
        action_->setToolTip(wordsOf(problemOf(*progress->problem)));
    else
        action_->setToolTip(study ? tr("The study asks for no more runs.")
                                  : tr("Choose a study: a question that was asked before its runs were seen."));
    onSlurm_->setVisible(slurm_.isAvailable());
    onSlurm_->setEnabled(!isTraining && canTrain && !progress->next.empty());
    onSlurm_->setToolTip(tr("On Slurm: train the study as jobs, as heddle study --launcher slurm does, until all is decided"));
}

}  // namespace heddle::ui
