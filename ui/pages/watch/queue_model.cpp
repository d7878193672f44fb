// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/watch/queue_model.h"

#include "engine/run/run_state.h"
#include "ui/data/studio.h"
#include "ui/text/number.h"
#include "ui/text/units.h"

#include <algorithm>

namespace heddle::ui::watch {
namespace {

constexpr std::size_t kFinished = 8;

/// 0 active, 1 paused or interrupted, 2 waiting, 3 ended.
int sectionOf(const storage::RunRecord& run) {
    switch (runStateFromName(run.state).value_or(RunState::Completed)) {
    case RunState::Preparing:
    case RunState::Running:
    case RunState::Stopping: return 0;
    case RunState::Paused:
    case RunState::Interrupted: return 1;
    case RunState::Queued: return 2;
    default: return 3;
    }
}

QString titleOf(const Run& run) {
    const QString name = QString::fromStdString(run.name);
    const QString title = nameHasSeed(run) ? name : QueueModel::tr("%1, seed %2").arg(name).arg(run.seed);
    return run.origin.isEmpty() ? title : QueueModel::tr("%1 · %2", "run, database").arg(title, run.origin);
}

std::optional<double> secondsLeft(const Run& run, const QueueFacts& facts) {
    const auto rate = facts.secondsPerStep.find(run.ref);
    if (rate == facts.secondsPerStep.end() || run.totalSteps <= run.step) return std::nullopt;
    return rate->second * double(run.totalSteps - run.step);
}

}  // namespace

bool isLive(const storage::RunRecord& run) {
    return run.state == name(RunState::Running) || run.state == name(RunState::Stopping);
}

QueueModel::Item QueueModel::itemOf(const Run& run, const QueueFacts& facts, std::optional<double> startsIn) {
    Item item{run.ref, titleOf(run), {}, {}, {}, markOf(run), std::nullopt};
    const auto state = runStateFromName(run.state).value_or(RunState::Completed);
    const QString step = count(run.step), total = run.totalSteps > 0 ? count(run.totalSteps) : tr("?");
    const bool isOver = state == RunState::Completed || state == RunState::Stopped || state == RunState::Failed;
    if (run.totalSteps > 0) item.progress = std::clamp(double(run.step) / double(run.totalSteps), 0.0, 1.0);
    switch (state) {
    case RunState::Running:
    case RunState::Stopping:
        item.detail = tr("%1 of %2").arg(step, total);
        if (const auto left = secondsLeft(run, facts)) item.right = tr("%1 left").arg(duration(*left));
        break;
    case RunState::Preparing: item.detail = tr("reading data, building the model"); break;
    case RunState::Queued:
        item.waits = true;
        item.detail = startsIn ? tr("starts in about %1").arg(duration(*startsIn)) : tr("waiting");
        break;
    case RunState::Paused: item.detail = tr("step %1 of %2").arg(step, total); break;
    case RunState::Interrupted: item.detail = tr("ended unexpectedly at step %1").arg(step); break;
    case RunState::Failed: item.detail = tr("failed at step %1").arg(step); break;
    case RunState::Stopped: item.detail = tr("stopped at step %1 of %2").arg(step, total); break;
    case RunState::Completed: item.detail = tr("%Ln step(s), %1", nullptr, int(run.step)).arg(duration(run.seconds)); break;
    }
    if (isOver || state == RunState::Queued || state == RunState::Preparing) item.progress.reset();
    if (isAllowed(state, RunVerb::Resume) || state == RunState::Interrupted) item.verb = tr("Resume");
    if (const auto pending = facts.pending.find(run.ref); pending != facts.pending.end()) {
        item.detail = pending->second;
        item.right.clear();
        item.verb.clear();
    }
    const bool isCompared = std::find(facts.compared.begin(), facts.compared.end(), run.ref) != facts.compared.end();
    if (state == RunState::Completed && !isCompared) item.verb = tr("Compare");
    return item;
}

std::vector<QueueModel::Item> QueueModel::arranged(std::vector<const Run*> runs, const QueueFacts& facts) {
    // Waiting runs are in the order in which they start, by database; all others newest first.
    std::stable_sort(runs.begin(), runs.end(), [](const Run* a, const Run* b) {
        const int left = sectionOf(*a), right = sectionOf(*b);
        if (left != right) return left < right;
        if (left != 2) return a->created > b->created;
        return a->ref.database != b->ref.database ? a->ref.database < b->ref.database : storage::startsBefore(*a, *b);
    });
    std::map<int, std::optional<double>> startsIn;  // by database: each has its own queue
    for (const auto* run : runs)
        if (auto& next = startsIn[run->ref.database]; sectionOf(*run) == 0 && !next) next = secondsLeft(*run, facts);
    std::vector<Item> items;
    std::size_t over = 0, all = 0;
    for (const auto* run : runs) all += sectionOf(*run) == 3;
    for (const auto* run : runs) {
        const int section = sectionOf(*run);
        if (section == 3 && over++ == 0) {
            Item header;
            header.title = all > kFinished ? tr("Finished, %1 of %2").arg(kFinished).arg(all) : tr("Finished");
            items.push_back(std::move(header));
        }
        if (section == 3 && over > kFinished) break;
        items.push_back(itemOf(*run, facts, startsIn[run->ref.database]));
        if (section == 2) startsIn[run->ref.database].reset();  // only the next one's start is known
    }
    return items;
}

void QueueModel::setRuns(const std::vector<const Run*>& runs, const QueueFacts& facts) {
    std::vector<Item> now = arranged(runs, facts);
    bool same = now.size() == items_.size();
    for (std::size_t i = 0; same && i < now.size(); ++i) same = now[i].run == items_[i].run;
    if (!same) {
        beginResetModel();
        items_ = std::move(now);
        return endResetModel();
    }
    for (std::size_t i = 0; i < now.size(); ++i) {
        if (now[i] == items_[i]) continue;
        items_[i] = std::move(now[i]);
        Q_EMIT dataChanged(index(int(i)), index(int(i)));
    }
}

int QueueModel::rowOf(const RunRef& run) const {
    for (std::size_t i = 0; i < items_.size(); ++i)
        if (items_[i].run == run && !run.empty()) return int(i);
    return -1;
}

int QueueModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(items_.size()); }

QVariant QueueModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const Item& item = items_[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole: return item.title;
    case Qt::AccessibleTextRole:
    case Qt::ToolTipRole: {
        if (item.run.empty()) return item.title;
        QStringList words{item.title, lookOf(item.mark).word, item.detail, item.right};
        words.removeAll(QString());
        if (role == Qt::ToolTipRole && flags(index) & Qt::ItemIsDragEnabled)
            words.append(tr("drag, or press Alt+Up or Alt+Down, to change the order"));
        return words.join(QStringLiteral(", "));
    }
    case RunRole: return item.run.key();
    case MarkRole: return int(item.mark);
    case DetailRole: return item.detail;
    case RightRole: return item.right;
    case ProgressRole: return item.progress ? QVariant(*item.progress) : QVariant();
    case VerbRole: return item.verb;
    case HeaderRole: return item.run.empty();
    default: return {};
    }
}

Qt::ItemFlags QueueModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::ItemIsDropEnabled;  // between rows
    if (index.row() >= rowCount()) return Qt::NoItemFlags;
    if (items_[std::size_t(index.row())].run.empty()) return Qt::NoItemFlags;
    const auto [up, down] = movable(index.row());
    const Qt::ItemFlags shown = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    return up < 0 || down > 0 ? shown | Qt::ItemIsDragEnabled : shown;
}

/// Both rows wait in the queue of one database.
bool QueueModel::waitTogether(int a, int b) const {
    if (std::min(a, b) < 0 || std::max(a, b) >= rowCount()) return false;
    const Item &one = items_[std::size_t(a)], &other = items_[std::size_t(b)];
    return one.waits && other.waits && one.run.database == other.run.database;
}

std::pair<int, int> QueueModel::movable(int row) const {
    if (!waitTogether(row, row)) return {0, 0};
    int first = row, last = row;
    while (waitTogether(row, first - 1)) --first;
    while (waitTogether(row, last + 1)) ++last;
    return {first - row, last - row};
}

/// Accepts places between two waiting runs, before the first and after the last.
bool QueueModel::canDropMimeData(const QMimeData*, Qt::DropAction action, int row, int, const QModelIndex& parent) const {
    return action == Qt::MoveAction && !parent.isValid() && (waitTogether(row, row) || waitTogether(row - 1, row - 1));
}

bool QueueModel::moveRows(const QModelIndex&, int row, int count, const QModelIndex&, int before) {
    const auto [up, down] = movable(row);
    const int by = before > row ? before - row - 1 : before - row;  // the row leaves its own place
    if (count != 1 || by < up || by > down) return false;
    if (by != 0) Q_EMIT moveRequested(items_[std::size_t(row)].run, by);
    return true;
}

}  // namespace heddle::ui::watch
