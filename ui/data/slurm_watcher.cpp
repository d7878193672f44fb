// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/slurm_watcher.h"

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

SlurmWatcher::SlurmWatcher(Studio& studio, QObject* parent)
    : QObject(parent), studio_(studio), hasSlurm_(!QStandardPaths::findExecutable(QStringLiteral("sbatch")).isEmpty()) {
    connect(&timer_, &QTimer::timeout, this, &SlurmWatcher::look);
    timer_.setInterval(kPollMs);
    timer_.setTimerType(Qt::VeryCoarseTimer);
    connect(&studio.databases(), &Databases::opened, this, &SlurmWatcher::watch);
    connect(&studio.databases(), &Databases::closed, this, [this](int database) {
        watched_.erase(database);
        Q_EMIT changed();
    });
}

/// Finds again what another window, or a command, has submitted.
void SlurmWatcher::watch(int database) {
    const RunDatabase* opened = studio_.databases().find(database);
    if (!opened || !isAvailable()) return;
    watched_[database] = {studio_.services().submissionsOf(opened->file())};
    lookAt(database);
}

std::vector<SlurmWatcher::Sweep> SlurmWatcher::sweeps() const {
    std::vector<Sweep> all;
    for (const auto& [database, watched] : watched_)
        for (const app::Submission& sweep : watched.sweeps) all.push_back({database, sweep});
    return all;
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
        watched.sweeps = look->sweeps;
        watched.problem = text(look->problem);
    } else if (reported_.isNew(subject, look.problem())) {
        studio_.report(look.problem());
    }
    const auto all = sweeps();
    const bool isAnyOpen = std::any_of(all.begin(), all.end(), [](const Sweep& one) { return one.sweep.isOpen(); });
    if (isAnyOpen != timer_.isActive()) isAnyOpen ? timer_.start() : timer_.stop();
    Q_EMIT changed();
    if (watched.isDue) lookAt(database);
}

/// Says which runs did not complete, and which sweeps have completed since the look before.
void SlurmWatcher::tell(const Watched& watched, const app::SubmissionsLook& look) const {
    if (!look.failures.empty()) {
        QString first = text(look.failures.front());
        if (look.failures.size() > 1)
            first += QLatin1Char('\n') +
                     tr("Further ones: %1. Slurm jobs… lists them with their logs.").arg(look.failures.size() - 1);
        studio_.report(MessageStrip::Message{
            StripKind::Warn, tr("%Ln run(s) on Slurm did not complete", nullptr, int(look.failures.size())), first});
    }
    if (look.merged.empty()) return;
    const auto isWhole = [](const app::Submission& sweep) {
        return sweep.hasPlan && sweep.count(app::SubmittedRun::At::Completed) == sweep.runs.size();
    };
    for (const app::Submission& sweep : look.sweeps) {
        const auto before = std::find_if(watched.sweeps.begin(), watched.sweeps.end(),
                                         [&](const app::Submission& one) { return one.name == sweep.name; });
        if (!isWhole(sweep) || before == watched.sweeps.end() || isWhole(*before)) continue;
        studio_.report(MessageStrip::Message{StripKind::Ok,
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
    const auto told = [this, database, title](const Result<Lines>& lines) {
        if (lines)
            studio_.report(MessageStrip::Message{StripKind::Ok, title, inOneLine(*lines), {}, QStringLiteral("slurmTold")});
        else
            studio_.report(lines.problem());
        lookAt(database);
    };
    ask(
        this, Pool{}, [jobs = found->second.jobs, work = std::move(work)]() -> Lines { return work(*jobs); }, told);
}

void SlurmWatcher::submit(int database, const QString& name, const std::function<std::vector<PlanRow>()>& rows,
                          const app::SlurmOptions& options) {
    carryOut(database, tr("The sweep %1 is submitted to Slurm").arg(name),
             [name = name.toStdString(), rows, options](app::Submissions& jobs) { return jobs.submit(name, rows(), options); });
}

void SlurmWatcher::submitAgain(const Sweep& sweep) {
    carryOut(sweep.database, tr("Runs of the sweep %1 are submitted again").arg(text(sweep.sweep.name)),
             [name = sweep.sweep.name](app::Submissions& jobs) { return jobs.submitAgain(name); });
}

void SlurmWatcher::cancel(const Sweep& sweep) {
    const auto found = watched_.find(sweep.database);
    if (found == watched_.end()) return;
    const auto told = [this, database = sweep.database, name = text(sweep.sweep.name)](const Result<std::size_t>& jobs) {
        if (jobs)
            studio_.report(MessageStrip::Message{
                StripKind::Ok,
                tr("%Ln job(s) of the sweep %1 cancelled; what they have trained stays", nullptr, int(*jobs)).arg(name),
                {},
                {},
                QStringLiteral("slurmTold")});
        else
            studio_.report(jobs.problem());
        lookAt(database);
    };
    ask(
        this, Pool{}, [jobs = found->second.jobs, group = sweep.sweep.group] { return jobs->cancel(group); }, told);
}

void SlurmWatcher::remove(const Sweep& sweep) {
    carryOut(sweep.database, tr("The sweep %1 is no longer listed").arg(text(sweep.sweep.name)),
             [name = sweep.sweep.name](app::Submissions& jobs) {
                 jobs.remove(name);
                 return Lines();
             });
}

}  // namespace heddle::ui
