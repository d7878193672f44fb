// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/studio.h"

#include "engine/base/json.h"
#include "engine/run/run_state.h"
#include "ui/data/slurm_watcher.h"
#include "ui/threads/ask.h"
#include "ui/widgets/picture.h"

#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>

namespace heddle::ui {

Studio::Studio(ControlOf controlOf, QSettings& settings, QObject* parent)
    : QObject(parent),
      controlOf_(std::move(controlOf)),
      settings_(settings),
      databases_(this),
      commander_(this),
      verbs_(databases_, commander_, this),
      colours_(databases_, commander_, this) {
    connect(&commander_, &Commander::failed, this, [this](const Problem& problem) { report(problem); });
    connect(&verbs_, &PendingVerbs::failed, this, [this](const Problem& problem) { report(problem); });
    connect(&databases_, &Databases::failed, this, [this](const Problem& problem) { report(problem); });
    connect(&databases_, &Databases::unreadable, this, [this](const Problem& problem) { report(problem); });
    connect(&databases_, &Databases::damaged, this, [this](const Problem& problem) { report(problem); });
    connect(&databases_, &Databases::closed, this, &Studio::removeDatabase);
    connect(&colours_, &VariantColours::failed, this, [this](const Problem& problem) { report(problem); });
}

Studio::~Studio() = default;

SlurmWatcher& Studio::slurm() {
    if (slurm_) return *slurm_;
    slurm_ = std::make_unique<SlurmWatcher>(databases_, services_.submissionsOf);
    connect(slurm_.get(), &SlurmWatcher::told, this, &Studio::messageRequested);
    connect(slurm_.get(), &SlurmWatcher::failed, this, [this](const Problem& problem) { report(problem); });
    connect(slurm_.get(), &SlurmWatcher::studyTrained, this, &Studio::reportTrained);
    return *slurm_;
}

void Studio::reportTrained(const std::string& study) {
    report(MessageStrip::Message{StripKind::Ok,
                                 tr("The study %1 is trained: Compare has its verdict").arg(QString::fromStdString(study)),
                                 {},
                                 {},
                                 QStringLiteral("studyTrained")});
}

int Studio::openFile(const QString& file) {
    const int number = databases_.open(file);
    commander_.setControl(number, controlOf_ ? controlOf_(databases_.find(number)->file()) : nullptr);
    return number;
}

void Studio::open(const QString& file) {
    databases_.closeAll();
    setCurrentRun({});
    setComparedRuns({});
    databases_.setCurrent(openFile(file));
}

void Studio::openBeside(const QString& file) {
    const auto before = databases_.all().size();
    const int number = openFile(file);
    if (before == 0 || databases_.all().size() == before) databases_.setCurrent(number);
}

void Studio::create(const QString& file) {
    ask(
        this, Pool{}, [createDatabase = services_.createDatabase, path = file.toStdString()] { createDatabase(path); },
        [this, file](const Result<Done>& done) { done ? open(file) : report(done.problem()); });
}

void Studio::removeDatabase(int number) {
    commander_.setControl(number, nullptr);
    if (currentRun_.database == number) setCurrentRun({});
    auto runs = comparedRuns_;
    std::erase_if(runs, [number](const RunRef& run) { return run.database == number; });
    setComparedRuns(std::move(runs));
}

QString Studio::stateWord(const Run& run) const {
    const auto pending = verbs_.of(run.ref);
    return pending ? pendingWord(*pending) : lookOf(markOf(run)).word;
}

void Studio::setCurrentRun(const RunRef& run) {
    if (run == currentRun_) return;
    currentRun_ = run;
    Q_EMIT currentRunChanged();
}

void Studio::setComparedRuns(std::vector<RunRef> runs) {
    if (runs == comparedRuns_) return;
    comparedRuns_ = std::move(runs);
    Q_EMIT comparedRunsChanged();
}

void Studio::compose(const Json& document, const QString& name, const RunRef& run, const std::string& key) {
    Q_EMIT composeRequested(document, name, run, key);
    go(PageId::Compose);
}

void Studio::report(const Problem& problem, const QString& key) {
    QStringList text;
    for (const QString& part : {problem.where, problem.safe, problem.next})
        if (!part.isEmpty()) text << part;
    report(MessageStrip::Message{StripKind::Bad, problem.what, text.join(QStringLiteral(" · ")), {}, key});
}

void Studio::writeExport(const QString& file, const std::function<QByteArray()>& bytes) {
    ask(
        this, Pool{}, [file, bytes] { writeWhole(file, bytes()); },
        [this, file](const Result<Done>& written) {
            if (written)
                report(MessageStrip::Message{StripKind::Ok, tr("Exported %1").arg(QFileInfo(file).fileName()), file});
            else
                report(Problem{tr("Could not write the export: %1").arg(written.problem().what), file,
                               tr("Nothing else is affected."), tr("Choose another file.")});
        });
}

bool nameHasSeed(const storage::RunRecord& run) {
    static const QRegularExpression kSeedInName(QStringLiteral("[-_ .,](?:s|seed)[-_ .]?(\\d+)$"));
    return kSeedInName.match(QString::fromStdString(run.name)).captured(1) == QString::number(run.seed);
}

QString runLabel(const storage::RunRecord& run) {
    if (run.damaged) return run.name.empty() ? QString::fromStdString(run.id) : QString::fromStdString(run.name);
    QString label = QString::fromStdString(run.name.empty() ? run.id : run.name);
    if (!nameHasSeed(run)) label += QStringLiteral(" s%1").arg(run.seed);
    const auto isTagged = [&](const char* tag) { return std::find(run.tags.begin(), run.tags.end(), tag) != run.tags.end(); };
    if (isTagged(storage::kForeignTag)) return Studio::tr("%1, foreign", "a run of another program").arg(label);
    return isTagged(storage::kSyntheticTag) ? Studio::tr("%1, synthetic data").arg(label) : label;
}

QString runLabel(const Run& run) {
    const QString label = runLabel(static_cast<const storage::RunRecord&>(run));
    return run.origin.isEmpty() ? label : Studio::tr("%1 · %2", "run, database").arg(label, run.origin);
}

Mark markOf(const storage::RunRecord& run) {
    // Marks begin with the states, in the same order.
    const auto state = runStateFromName(run.state);
    return state ? Mark(int(*state)) : Mark::Damaged;
}

}  // namespace heddle::ui
