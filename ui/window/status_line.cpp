// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/status_line.h"

#include "engine/run/run_state.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/foreign_spec.h"
#include "engine/spec/run_spec.h"
#include "ui/data/series_store.h"
#include "ui/data/studio.h"
#include "ui/text/number.h"
#include "ui/text/units.h"
#include "ui/theme/type.h"
#include "ui/window/status_item.h"

#include <QTimer>

#include <algorithm>
#include <filesystem>

namespace heddle::ui {
namespace {

constexpr int kFactsEveryMs = 1000;

const Run* inTraining(const std::vector<const Run*>& runs) {
    const Run* best = nullptr;
    for (const Run* run : runs) {
        if (!isActive(run->state)) continue;
        if (!best || (best->state == name(RunState::Paused) && run->state != name(RunState::Paused))) best = run;
    }
    return best;
}

/// The sample corpus is in a folder of that name, installed or in the source tree.
bool usesSample(const std::vector<const Run*>& runs) {
    return std::any_of(runs.begin(), runs.end(),
                       [](const Run* run) { return run->spec.find("/sample/train.weft") != std::string::npos; });
}

qint64 sizeOf(const std::string& file) {
    std::error_code missing;
    qint64 bytes = 0;
    for (const char* part : {"", "-wal"}) {
        const auto size = std::filesystem::file_size(file + part, missing);
        if (!missing) bytes += qint64(size);
    }
    return bytes;
}

}  // namespace

StatusLine::StatusLine(Studio& studio, QWidget* parent)
    : QStatusBar(parent),
      studio_(studio),
      run_(new StatusItem("trainingStatus", this)),
      queue_(new StatusItem("queueStatus", this)),
      recorder_(new StatusItem("recorderStatus", this)),
      database_(new StatusItem("databaseStatus", this)),
      sample_(new Chip(tr("Sample data"), this)),
      query_(this, [this](Result<Facts> facts) {
          if (!facts) {
              Facts unknown;
              unknown.bytes = facts_.bytes;
              unknown.problem = facts.problem().what;
              facts = std::move(unknown);
          }
          facts_ = std::move(*facts);
          update();
      }) {
    setSizeGripEnabled(false);
    setContentsMargins(0, 0, px(8), 0);
    addWidget(run_);
    addWidget(queue_);
    addPermanentWidget(recorder_);
    addPermanentWidget(database_);
    addPermanentWidget(sample_);
    for (StatusItem* item : {run_, queue_, recorder_, database_}) item->setFocusPolicy(Qt::TabFocus);
    connect(run_, &StatusItem::clicked, this, [this] {
        studio_.setCurrentRun(shown_);
        studio_.go(PageId::Watch);
    });
    connect(queue_, &StatusItem::clicked, this, [this] { studio_.go(PageId::Watch); });
    connect(recorder_, &StatusItem::clicked, this, [this] { studio_.go(PageId::Library); });
    connect(database_, &StatusItem::clicked, this, [this] { studio_.go(PageId::Library); });
    auto* timer = new QTimer(this);
    timer->setTimerType(Qt::VeryCoarseTimer);
    timer->setInterval(kFactsEveryMs);
    connect(timer, &QTimer::timeout, this, [this] {
        if (!studio_.databases().currentFile().isEmpty() && (!shown_.empty() || facts_.bytes == 0 || !facts_.problem.isEmpty()))
            readFacts();
    });
    timer->start();
    connect(&studio_.databases(), &Databases::runsChanged, this, &StatusLine::update);
    connect(&studio_.verbs(), &PendingVerbs::changed, this, &StatusLine::update);
    connect(&studio_.databases(), &Databases::progressed, this, &StatusLine::showTraining);
    connect(&studio_.databases(), &Databases::currentChanged, this, [this] {
        facts_ = {};
        query_.cancel();
        readFacts();
        update();
    });
    update();
}

/// Reads about the run in training, which may be in another database than the current one, whose size is shown.
void StatusLine::readFacts() {
    Facts known = facts_.run == shown_ ? facts_ : Facts{};
    known.run = shown_;
    const Databases& databases = studio_.databases();
    const int database = shown_.empty() ? databases.currentNumber() : shown_.database;
    query_.ask(databases.reader(database), [known, file = databases.currentFile().toStdString()](storage::RunQuery& query) {
        return read(query, file, known);
    });
}

StatusLine::Facts StatusLine::read(storage::RunQuery& query, const std::string& file, Facts known) {
    Facts facts = std::move(known);
    facts.problem.clear();
    facts.bytes = sizeOf(file);
    const auto run = facts.run.empty() ? std::nullopt : query.run(facts.run.id);
    if (!run) return facts;
    // A run's spec never changes.
    if (!facts.epochs && !foreignSpec(run->spec))
        facts.epochs = RunSpec::parse(parseJson(run->spec, "run " + run->id), builtinCatalogue()).train.epochs;
    const auto seconds = secondsPerStep(query, run->id, run->step);
    facts.stepsPerSecond = seconds ? 1 / *seconds : 0;
    facts.gaps = 0;
    for (const auto& event : query.events(run->id)) facts.gaps += event.kind == "gap";
    return facts;
}

void StatusLine::showTraining() {
    const Run* run = inTraining(studio_.databases().runs());
    run_->setVisible(run != nullptr);
    const RunRef before = std::exchange(shown_, run ? run->ref : RunRef());
    if (!run) return;
    if (before != shown_) readFacts();
    showRun(*run);
}

void StatusLine::update() {
    showTraining();
    showQueue();
    showRecorder();
    showDatabase();
}

/// The current database and the number of other open ones.
void StatusLine::showDatabase() {
    const Databases& databases = studio_.databases();
    const RunDatabase* current = databases.current();
    database_->setVisible(current);
    sample_->setVisible(current && usesSample(databases.runs()));
    sample_->setToolTip(tr("Runs on the sample corpus that comes with the program: an invented language"));
    if (!current) return;
    const int others = int(databases.all().size()) - 1;
    QStringList words, files;
    if (others > 0) words << tr("and %Ln more", nullptr, others);
    if (facts_.bytes > 0) words << byteSize(facts_.bytes);
    const bool isOfCurrent = shown_.empty() || shown_.database == databases.currentNumber();
    if (!facts_.problem.isEmpty() && isOfCurrent) words << tr("cannot be read");
    for (const RunDatabase* database : databases.all()) files << database->file();
    database_->setMark(Icon::Library, Token::Text2);
    database_->setWords({}, current->name(), words.join(QStringLiteral("  ")));
    if (!facts_.problem.isEmpty()) files << facts_.problem;
    database_->setToolTip(tr("%1\nOpen the Library").arg(files.join(QLatin1Char('\n'))));
}

void StatusLine::showRun(const Run& run) {
    const MarkLook mark = lookOf(markOf(run));
    run_->setMark(mark.icon, mark.color);
    const bool known = facts_.run == run.ref;
    QStringList words;
    if (run.state != name(RunState::Running) || studio_.verbs().of(run.ref)) words << studio_.stateWord(run);
    if (const qint64 epochs = known ? facts_.epochs.value_or(0) : 0; epochs > 0)
        words << tr("epoch %1 of %2").arg(count(std::min<qint64>(run.epoch + 1, epochs)), count(epochs));
    words << (run.totalSteps > 0 ? tr("step %1 of %2").arg(count(run.step), count(run.totalSteps))
                                 : tr("step %1").arg(count(run.step)));
    QStringList tail;
    if (known && facts_.stepsPerSecond > 0 && run.state == name(RunState::Running)) {
        tail << tr("%1 steps/s").arg(number(facts_.stepsPerSecond, facts_.stepsPerSecond < 100 ? 1 : 0));
        if (run.totalSteps > run.step)
            tail << tr("about %1 left").arg(duration(double(run.totalSteps - run.step) / facts_.stepsPerSecond));
    }
    run_->setProgress(run.totalSteps > 0 ? std::optional(double(run.step) / double(run.totalSteps)) : std::nullopt);
    run_->setWords(runLabel(run), words.join(QStringLiteral("  ")), tail.join(QStringLiteral("  ")));
    run_->setToolTip(tr("Show %1 in Watch").arg(runLabel(run)));
}

void StatusLine::showQueue() {
    int queued = 0, paused = 0;
    for (const Run* run : studio_.databases().runs()) {
        queued += run->state == name(RunState::Queued);
        paused += run->state == name(RunState::Paused);
    }
    QStringList words;
    if (queued > 0) words << tr("%1 queued").arg(count(queued));
    if (paused > 0) words << tr("%1 paused").arg(count(paused));
    queue_->setVisible(!words.isEmpty());
    queue_->setWords({}, words.join(QStringLiteral(", ")));
}

void StatusLine::setRecorder(const QString& words, const QString& problem) {
    if (words == recorderWords_ && problem == recorderProblem_) return;
    recorderWords_ = words;
    recorderProblem_ = problem;
    showRecorder();
}

void StatusLine::showRecorder() {
    QString words = recorderProblem_.isEmpty() ? recorderWords_ : tr("Recorder: %1").arg(recorderProblem_);
    const bool here = recorderProblem_.isEmpty() && !shown_.empty();
    if (here && facts_.run == shown_ && facts_.gaps > 0)
        words = tr("%1, except %Ln gap(s)", nullptr, int(facts_.gaps)).arg(words);
    const RunDatabase* current = studio_.databases().current();
    const QString notice = current ? current->notice() : QString();
    if (words.isEmpty()) words = notice;
    recorder_->setVisible(!words.isEmpty());
    recorder_->setWords({}, words);
    if (!recorderProblem_.isEmpty() || facts_.gaps > 0)
        recorder_->setMark(Icon::Warning, Token::Warn);
    else
        recorder_->setMark(Icon::Save, Token::Text2);
}

}  // namespace heddle::ui
