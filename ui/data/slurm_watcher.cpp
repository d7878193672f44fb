// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/slurm_watcher.h"

#include "app/study/study_progress.h"
#include "ui/text/utf8.h"
#include "ui/threads/ask.h"

#include <QStandardPaths>

#include <algorithm>
#include <utility>

namespace heddle::ui {
namespace {

constexpr int kPollMs = 15'000;  // as the command line

using Lines = std::vector<std::string>;

QString inOneLine(const Lines& lines) {
    QStringList all;
    for (const std::string& line : lines) all << text(line);
    return all.join(QStringLiteral(" · "));
}

}  // namespace

SlurmWatcher::SlurmWatcher(Databases& databases, SubmissionsOf submissionsOf)
    : databases_(databases),
      submissionsOf_(std::move(submissionsOf)),
      hasSlurm_(!QStandardPaths::findExecutable(QStringLiteral("sbatch")).isEmpty()) {
    connect(&timer_, &QTimer::timeout, this, &SlurmWatcher::look);
    timer_.setInterval(kPollMs);
    timer_.setTimerType(Qt::VeryCoarseTimer);
    connect(&databases, &Databases::opened, this, &SlurmWatcher::watch);
    connect(&databases, &Databases::closed, this, [this](int database) {
        watched_.erase(database);
        Q_EMIT changed();
    });
    for (const RunDatabase* database : databases.all())
        if (database->isOpen()) watch(database->number());
}

/// Finds again what another window, or a command, has submitted.
void SlurmWatcher::watch(int database) {
    const RunDatabase* opened = databases_.find(database);
    if (!opened || !isAvailable()) return;
    watched_[database] = {submissionsOf_(opened->file())};
    lookAt(database);
}

std::vector<SlurmWatcher::Listed> SlurmWatcher::all() const {
    std::vector<Listed> all;
    for (const auto& [database, watched] : watched_)
        for (const app::Submission& one : watched.all) all.push_back({database, one});
    return all;
}

std::optional<SlurmWatcher::Listed> SlurmWatcher::ofStudy(int database, const std::string& key) const {
    if (const auto watched = watched_.find(database); watched != watched_.end())
        for (const app::Submission& one : watched->second.all)
            if (one.study == key) return Listed{database, one};
    return std::nullopt;
}

QString SlurmWatcher::problem() const {
    for (const auto& [database, watched] : watched_)
        if (!watched.problem.isEmpty()) return watched.problem;
    return {};
}

QString SlurmWatcher::folderOf(int database) const {
    const auto found = watched_.find(database);
    return found == watched_.end() ? QString() : text(found->second.jobs->folder());
}

void SlurmWatcher::look() {
    for (const auto& [database, watched] : watched_) lookAt(database);
}

void SlurmWatcher::lookAt(int database) {
    const auto found = watched_.find(database);
    if (found == watched_.end()) return;
    Watched& watched = found->second;
    watched.isDue = watched.isLooking;
    if (std::exchange(watched.isLooking, true)) return;
    ask(
        this, Pool{}, [jobs = watched.jobs] { return jobs->look(); },
        [this, database](const Result<app::SubmissionsLook>& look) { take(database, look); });
}

void SlurmWatcher::take(int database, const Result<app::SubmissionsLook>& look) {
    const auto found = watched_.find(database);
    if (found == watched_.end()) return;
    Watched& watched = found->second;
    watched.isLooking = false;
    const QString subject = QString::number(database);
    if (look) {
        reported_.succeeded(subject);
        tell(watched, *look);
        watched.all = look->all;
        watched.problem = text(look->problem);
    } else if (reported_.isNew(subject, look.problem())) {
        Q_EMIT failed(look.problem());
    }
    const auto now = all();
    const bool isAnyOpen = std::any_of(now.begin(), now.end(), [](const Listed& one) { return one.submission.isOpen(); });
    if (isAnyOpen != timer_.isActive()) isAnyOpen ? timer_.start() : timer_.stop();
    Q_EMIT changed();
    if (watched.isDue) lookAt(database);
}

/// Says which runs did not complete, which studies have ended, and which sweeps have completed since the look before.
void SlurmWatcher::tell(const Watched& watched, const app::SubmissionsLook& look) {
    if (!look.failures.empty()) {
        QString first = text(look.failures.front());
        if (look.failures.size() > 1)
            first += QLatin1Char('\n') +
                     tr("Further ones: %1. Slurm jobs… lists them with their logs.").arg(look.failures.size() - 1);
        Q_EMIT told(MessageStrip::Message{
            StripKind::Warn, tr("%Ln run(s) on Slurm did not complete", nullptr, int(look.failures.size())), first});
    }
    for (const app::StudyEnd& end : look.ended)
        if (end.problem)
            Q_EMIT failed(problemOf(*end.problem));
        else
            Q_EMIT studyTrained(end.key);
    if (look.merged.empty()) return;
    const auto isWhole = [](const app::Submission& sweep) {
        return sweep.isKept && sweep.study.empty() && sweep.count(app::SubmittedRun::At::Completed) == sweep.runs.size();
    };
    for (const app::Submission& sweep : look.all) {
        const auto before = std::find_if(watched.all.begin(), watched.all.end(),
                                         [&](const app::Submission& one) { return one.name == sweep.name; });
        if (!isWhole(sweep) || before == watched.all.end() || isWhole(*before)) continue;
        Q_EMIT told(MessageStrip::Message{StripKind::Ok,
                                          tr("The sweep %1 is trained: its runs are in the database").arg(text(sweep.name)),
                                          {},
                                          {},
                                          QStringLiteral("sweepTrained")});
    }
}

template <class Work>
void SlurmWatcher::carryOut(int database, const QString& title, Work work) {
    const auto found = watched_.find(database);
    if (found == watched_.end()) return;
    const auto answered = [this, database, title](const Result<Lines>& lines) {
        if (lines)
            Q_EMIT told(MessageStrip::Message{StripKind::Ok, title, inOneLine(*lines), {}, QStringLiteral("slurmTold")});
        else
            Q_EMIT failed(lines.problem());
        lookAt(database);
    };
    ask(
        this, Pool{}, [jobs = found->second.jobs, work = std::move(work)]() -> Lines { return work(*jobs); }, answered);
}

void SlurmWatcher::submit(int database, const QString& name, const std::function<std::vector<PlanRow>()>& rows,
                          const app::SlurmOptions& options) {
    carryOut(database, tr("The sweep %1 is submitted to Slurm").arg(name),
             [name = name.toStdString(), rows, options](app::Submissions& jobs) { return jobs.submit(name, rows(), options); });
}

/// Until the next look it is listed without runs, so that nobody submits it twice.
void SlurmWatcher::submitStudy(int database, const std::string& key, const app::SlurmOptions& options) {
    const auto found = watched_.find(database);
    if (found == watched_.end()) return;
    auto& all = found->second.all;
    std::erase_if(all, [&](const app::Submission& one) { return one.study == key; });
    all.push_back({app::groupOfStudy(key, false), true, {}, key, true});
    Q_EMIT changed();
    carryOut(database, tr("The study %1 is submitted to Slurm").arg(text(key)),
             [key, options](app::Submissions& jobs) { return jobs.submitStudy(key, options); });
}

void SlurmWatcher::submitAgain(const Listed& one) {
    carryOut(one.database, tr("Runs of %1 are submitted again").arg(nameOf(one.submission)),
             [name = one.submission.name](app::Submissions& jobs) { return jobs.submitAgain(name); });
}

void SlurmWatcher::cancel(const Listed& one) {
    const auto found = watched_.find(one.database);
    if (found == watched_.end()) return;
    const auto answered = [this, database = one.database, name = nameOf(one.submission)](const Result<std::size_t>& jobs) {
        if (jobs)
            Q_EMIT told(MessageStrip::Message{
                StripKind::Ok,
                tr("%Ln job(s) of %1 cancelled; what they have trained stays", nullptr, int(*jobs)).arg(name),
                {},
                {},
                QStringLiteral("slurmTold")});
        else
            Q_EMIT failed(jobs.problem());
        lookAt(database);
    };
    ask(
        this, Pool{}, [jobs = found->second.jobs, name = one.submission.name] { return jobs->cancel(name); }, answered);
}

void SlurmWatcher::remove(const Listed& one) {
    carryOut(one.database, tr("No longer listed: %1").arg(nameOf(one.submission)),
             [name = one.submission.name](app::Submissions& jobs) {
                 jobs.remove(name);
                 return Lines();
             });
}

/// "the sweep gates", "the study width".
QString SlurmWatcher::nameOf(const app::Submission& one) {
    return one.study.empty() ? tr("the sweep %1").arg(text(one.name)) : tr("the study %1").arg(text(one.study));
}

}  // namespace heddle::ui
