// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/watch/run_queue.h"

#include "ui/data/run_actions.h"
#include "ui/data/series_store.h"
#include "ui/pages/watch/queue_delegate.h"
#include "ui/plot/series.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <QAction>
#include <QSignalBlocker>

namespace heddle::ui::watch {
namespace {

constexpr int kRatesMs = 1950;
constexpr auto kOnlyHere = Qt::WidgetWithChildrenShortcut;

/// Seconds per step over the last 200 steps of each run.
std::map<RunRef, double> readRatesOf(storage::RunQuery& query, const std::vector<std::pair<RunRef, Step>>& runs) {
    std::map<RunRef, double> rates;
    for (const auto& [run, step] : runs)
        if (const auto seconds = secondsPerStep(query, run.id, step)) rates[run] = *seconds;
    return rates;
}

}  // namespace

RunQueue::RunQueue(Studio& studio, QWidget* parent)
    : QListView(parent),
      studio_(studio),
      earlier_(makeAction(this, {"moveEarlier", tr("Move earlier in the queue"), {}, Qt::ALT | Qt::Key_Up, {}, kOnlyHere},
                          [this] { move(runAt(currentIndex()), -1); })),
      later_(makeAction(this, {"moveLater", tr("Move later in the queue"), {}, Qt::ALT | Qt::Key_Down, {}, kOnlyHere},
                        [this] { move(runAt(currentIndex()), 1); })) {
    addActions({earlier_, later_});
    setModel(&model_);
    auto* delegate = new QueueDelegate(this);
    setItemDelegate(delegate);
    setObjectName(QStringLiteral("queue"));
    setAccessibleName(tr("Queue"));
    setMinimumSize(px(160), px(60));  // a name, its steps and time
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setMouseTracking(true);
    setDragDropMode(QAbstractItemView::InternalMove);
    setDefaultDropAction(Qt::MoveAction);
    setDragDropOverwriteMode(false);
    connect(delegate, &QueueDelegate::verbClicked, this, [this](const QString& key) { carryOut(RunRef::fromKey(key)); });
    connect(&model_, &QueueModel::moveRequested, this, &RunQueue::move);
    connect(selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& index) {
        if (const RunRef run = runAt(index); !run.empty()) Q_EMIT runChosen(run);
    });
    Databases& databases = studio.databases();
    connect(&databases, &Databases::runsChanged, this, &RunQueue::refresh);
    connect(&databases, &Databases::progressed, this, &RunQueue::showProgress);
    connect(&databases, &Databases::closed, this, [this](int number) {
        reading_.erase(number);
        std::erase_if(facts_.secondsPerStep, [number](const auto& rate) { return rate.first.database == number; });
    });
    connect(&studio, &Studio::currentRunChanged, this, &RunQueue::refresh);
    connect(&studio, &Studio::comparedRunsChanged, this, &RunQueue::refresh);
    connect(&studio.verbs(), &PendingVerbs::changed, this, &RunQueue::refresh);
}

RunRef RunQueue::runAt(const QModelIndex& index) const { return RunRef::fromKey(index.data(QueueModel::RunRole).toString()); }

void RunQueue::showEvent(QShowEvent* event) {
    refresh();
    QListView::showEvent(event);
}

void RunQueue::refresh() {
    if (!isVisible()) return;
    facts_.compared = studio_.comparedRuns();
    facts_.pending.clear();
    for (const Run* run : studio_.databases().runs())
        if (const auto verb = studio_.verbs().of(run->ref)) facts_.pending[run->ref] = pendingWord(*verb);
    {
        const QSignalBlocker quiet(selectionModel());
        showProgress();
    }
    const int row = model_.rowOf(studio_.currentRun());
    setCurrentIndex(model_.index(row));
    const QString target = targetOf(studio_.databases().run(runAt(currentIndex())));
    setTarget(*earlier_, tr("Move %1 earlier in the queue"), target);
    setTarget(*later_, tr("Move %1 later in the queue"), target);
    earlier_->setEnabled(model_.movable(row).first < 0);
    later_->setEnabled(model_.movable(row).second > 0);
}

/// Steps of runs have grown.
void RunQueue::showProgress() {
    if (!isVisible()) return;
    model_.setRuns(studio_.databases().runs(), facts_);
    if (!sinceReading_.isValid() || sinceReading_.elapsed() > kRatesMs) readRates();
}

void RunQueue::readRates() {
    std::map<int, std::vector<std::pair<RunRef, Step>>> live;
    for (const Run* run : studio_.databases().runs())
        if (isLive(*run)) live[run->ref.database].emplace_back(run->ref, run->step);
    if (!live.empty()) sinceReading_.start();
    for (const auto& [database, runs] : live) {
        const auto answer = [this, number = database](Result<Rates> rates) { take(number, std::move(rates)); };
        reading_.try_emplace(database, this, answer)
            .first->second.ask(studio_.databases().reader(database),
                               [runs = runs](storage::RunQuery& query) { return readRatesOf(query, runs); });
    }
}

void RunQueue::take(int database, Result<Rates> rates) {
    const QString subject = QString::number(database);
    if (!rates) {
        if (reported_.isNew(subject, rates.problem())) studio_.report(rates.problem());
        return;
    }
    reported_.succeeded(subject);
    for (const auto& [run, rate] : *rates) facts_.secondsPerStep[run] = rate;
    model_.setRuns(studio_.databases().runs(), facts_);
}

/// The list changes when the database has the new order. `by` counts from the run's place at that time.
void RunQueue::move(const RunRef& run, int by) {
    if (!run.empty()) studio_.commander().edit(run.database, MoveRun{run.id, by});
}

/// Carries out the verb in the row of the run: Resume or Compare.
void RunQueue::carryOut(const RunRef& run) {
    const Run* record = studio_.databases().run(run);
    if (!record) return;
    if (record->state == heddle::name(RunState::Paused)) return studio_.verbs().carryOut(run, RunVerb::Resume);
    if (record->state == heddle::name(RunState::Interrupted)) return studio_.verbs().carryOut(run, RunVerb::Start);
    auto runs = studio_.comparedRuns();
    runs.push_back(run);
    studio_.setComparedRuns(std::move(runs));
}

}  // namespace heddle::ui::watch
