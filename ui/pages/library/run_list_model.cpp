// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/library/run_list_model.h"

#include "ui/pages/library/tag_field.h"
#include "ui/pages/library/words.h"
#include "ui/text/number.h"
#include "ui/text/units.h"
#include "ui/theme/type.h"
#include "ui/widgets/mark_delegate.h"

#include <algorithm>
#include <unordered_map>

namespace heddle::ui {
namespace {

bool isNumeric(RunColumn column) {
    return column == RunColumn::Loss || column == RunColumn::Accuracy || column == RunColumn::Bleu ||
           column == RunColumn::Seed || column == RunColumn::Step || column == RunColumn::Duration || column == RunColumn::Size;
}

std::vector<std::string> idsOf(const std::vector<RunLine>& lines) {
    std::vector<std::string> ids;
    for (const auto& line : lines) ids.push_back(line.id);
    return ids;
}

/// Null for a column that is no metric, and where the run has none.
const MetricSummary* scoreIn(const RunScores& scores, RunColumn column) {
    const auto in = [](const std::optional<MetricSummary>& score) { return score ? &*score : nullptr; };
    if (column == RunColumn::Loss) return in(scores.loss);
    if (column == RunColumn::Accuracy) return in(scores.accuracy);
    return column == RunColumn::Bleu ? in(scores.bleu) : nullptr;
}

QString scoreText(const RunScores& scores, RunColumn column) {
    const MetricSummary* score = scoreIn(scores, column);
    if (!score) return QString(kNoValue);
    return column == RunColumn::Accuracy ? RunListModel::tr("%1 %").arg(number(100 * score->best, 2))
                                         : number(score->best, column == RunColumn::Loss ? 3 : 2);
}

QString ruleText(const MetricSummary& summary) {
    return RunListModel::tr("best, at step %1 · n = %2\n%3")
        .arg(count(summary.bestStep), count(summary.n), QString::fromStdString(summary.signature));
}

QString stepText(const RunLine& line) {
    const bool done = line.mark == Mark::Completed || line.totalSteps <= line.step;
    return done ? count(line.step) : QStringLiteral("%1 / %2").arg(count(line.step), count(line.totalSteps));
}

}  // namespace

bool RunListModel::setLines(std::vector<RunLine> lines) {
    if (lines == lines_) return false;
    auto before = idsOf(lines_), after = idsOf(lines);
    if (before == after) {
        lines_ = std::move(lines);
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kRunColumns - 1));
        return false;
    }
    std::unordered_map<std::string, int> places;
    for (int i = 0; i < int(after.size()); ++i) places[after[std::size_t(i)]] = i;
    const bool moved = before.size() == after.size() &&
                       std::all_of(before.begin(), before.end(), [&](const auto& id) { return places.count(id) > 0; });
    if (!moved) {
        beginResetModel();
        lines_ = std::move(lines);
        endResetModel();
        return true;
    }
    Q_EMIT layoutAboutToBeChanged();
    lines_ = std::move(lines);
    QModelIndexList to;
    const QModelIndexList from = persistentIndexList();
    for (const auto& old : from) to << index(places[before[std::size_t(old.row())]], old.column());
    changePersistentIndexList(from, to);
    Q_EMIT layoutChanged();
    return false;
}

const RunLine* RunListModel::line(int row) const {
    return row >= 0 && row < int(lines_.size()) ? &lines_[std::size_t(row)] : nullptr;
}

int RunListModel::rowOf(const std::string& run) const {
    const auto found = std::find_if(lines_.begin(), lines_.end(), [&](const RunLine& line) { return line.id == run; });
    return found == lines_.end() ? -1 : int(found - lines_.begin());
}

void RunListModel::setOrders(std::function<int(const std::string&)> orders) {
    orders_ = std::move(orders);
    if (!lines_.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kRunColumns - 1));
}

void RunListModel::setPending(std::map<std::string, QString> words) {
    pending_ = std::move(words);
    const int state = int(RunColumn::State);
    if (!lines_.empty()) Q_EMIT dataChanged(index(0, state), index(rowCount() - 1, state));
}

int RunListModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(lines_.size()); }
int RunListModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kRunColumns; }

QVariant RunListModel::text(const RunLine& line, RunColumn column) const {
    const QString none(kNoValue);
    // The values of a damaged row are not known.
    const bool isKnown = line.mark != Mark::Damaged;
    switch (column) {
    case RunColumn::State: {
        const auto pending = pending_.find(line.id);
        return pending == pending_.end() ? lookOf(line.mark).word : pending->second;
    }
    case RunColumn::Name: return line.name.isEmpty() ? QString::fromStdString(line.id) : line.name;
    case RunColumn::Seed: return isKnown ? count(qint64(line.seed)) : none;
    case RunColumn::Variant: return QString::fromStdString(line.variant.substr(0, 8));
    case RunColumn::Step: return isKnown ? stepText(line) : none;
    case RunColumn::Loss:
    case RunColumn::Accuracy:
    case RunColumn::Bleu: return scoreText(line.scores, column);
    case RunColumn::Duration: return line.seconds > 0 ? duration(line.seconds) : none;
    case RunColumn::Size: return line.bytes >= 0 ? byteSize(quint64(line.bytes)) : none;
    case RunColumn::Created: return isKnown ? whenText(line.created) : none;
    case RunColumn::Tags: return line.tags.join(QStringLiteral(", "));
    }
    return {};
}

QVariant RunListModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const RunLine& line = lines_[std::size_t(index.row())];
    const auto column = RunColumn(index.column());
    switch (role) {
    case Qt::DisplayRole: return text(line, column);
    case Qt::EditRole:
        return column == RunColumn::Name ? QVariant(line.name) : column == RunColumn::Tags ? line.tags : text(line, column);
    case Qt::TextAlignmentRole: return int(Qt::AlignVCenter | (isNumeric(column) ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::FontRole:
        if (column == RunColumn::Variant) return typeFont(Type::Mono);
        return isNumeric(column) || column == RunColumn::Created ? numberFont(Type::Body) : typeFont(Type::Body);
    case Qt::ToolTipRole:
        if (column == RunColumn::State) return line.reason;
        if (column == RunColumn::Step) return tr("%Ln epoch(s)", nullptr, int(line.epoch));
        if (column == RunColumn::Variant) return QString::fromStdString(line.variant);
        if (const MetricSummary* score = scoreIn(line.scores, column)) return ruleText(*score);
        if (column == RunColumn::Name) return tr("run %1").arg(QString::fromStdString(line.id));
        if (column == RunColumn::Size) return tr("checkpoints and vocabularies on disk; the values lie in the database file");
        return text(line, column);
    case kMarkRole: return column == RunColumn::State ? QVariant(int(line.mark)) : QVariant();
    case OrderRole: return column == RunColumn::Name && orders_ ? QVariant(orders_(line.group)) : QVariant();
    default: return {};
    }
}

bool RunListModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid() || role != Qt::EditRole) return false;
    const RunLine& line = lines_[std::size_t(index.row())];
    if (RunColumn(index.column()) == RunColumn::Name) {
        const QString name = value.toString().trimmed();
        if (!name.isEmpty() && name != line.name) Q_EMIT renamed(line.id, name);
        return true;
    }
    if (RunColumn(index.column()) != RunColumn::Tags) return false;
    const QStringList tags = tagsOf(value.toStringList());
    if (tags != line.tags) Q_EMIT tagged(line.id, tags);
    return true;
}

QVariant RunListModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= kRunColumns) return {};
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignVCenter | (isNumeric(RunColumn(section)) ? Qt::AlignRight : Qt::AlignLeft));
    if (role != Qt::DisplayRole) return {};
    switch (RunColumn(section)) {
    case RunColumn::State: return tr("State");
    case RunColumn::Name: return tr("Run");
    case RunColumn::Seed: return tr("Seed");
    case RunColumn::Variant: return tr("Variant");
    case RunColumn::Step: return tr("Step");
    case RunColumn::Loss: return tr("Valid loss");
    case RunColumn::Accuracy: return tr("Valid accuracy");
    case RunColumn::Bleu: return tr("BLEU, test");
    case RunColumn::Duration: return tr("Duration");
    case RunColumn::Size: return tr("Size");
    case RunColumn::Created: return tr("Created");
    case RunColumn::Tags: return tr("Tags");
    }
    return {};
}

Qt::ItemFlags RunListModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
    const auto column = RunColumn(index.column());
    const bool kept = lines_[std::size_t(index.row())].trashed <= 0;
    if (kept && (column == RunColumn::Name || column == RunColumn::Tags)) flags |= Qt::ItemIsEditable;
    return flags;
}

}  // namespace heddle::ui
