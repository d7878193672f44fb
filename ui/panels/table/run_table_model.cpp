// SPDX-License-Identifier: GPL-3.0-or-later
// Structure: rows, order, ticks. What cells say is in run_table_cells.cpp.
#include "ui/panels/table/run_table_model.h"

#include "ui/panels/table/tag_field.h"

#include <algorithm>

namespace heddle::ui {
namespace {

bool sameShape(const Arrangement& a, const Arrangement& b) {
    return a.options.columns == b.options.columns && a.options.grouping == b.options.grouping;
}

bool sameMembers(const Arrangement& a, const Arrangement& b) {
    return a.places.size() == b.places.size() &&
           std::all_of(a.places.begin(), a.places.end(), [&](const auto& place) { return b.places.count(place.first) > 0; });
}

}  // namespace

bool RunTableModel::setArrangement(std::shared_ptr<const Arrangement> arrangement) {
    if (sameShape(*arrangement_, *arrangement)) {
        if (arrangement_->places == arrangement->places) {
            arrangement_ = std::move(arrangement);
            repaintAll();
            return false;
        }
        if (sameMembers(*arrangement_, *arrangement)) {
            reorder(std::move(arrangement));
            return false;
        }
    }
    beginResetModel();
    arrangement_ = std::move(arrangement);
    endResetModel();
    return true;
}

/// Puts the same rows into another order; the persistent indexes of views move along.
void RunTableModel::reorder(std::shared_ptr<const Arrangement> arrangement) {
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    const QModelIndexList before = persistentIndexList();
    std::vector<std::string> keys;
    for (const auto& index : before) {
        const RunRow* row = rowAt(index);
        keys.push_back(row ? Arrangement::runKey(row->run->record.ref) : Arrangement::groupKey(groupAt(index).key));
    }
    arrangement_ = std::move(arrangement);
    QModelIndexList after;
    for (std::size_t i = 0; i < keys.size(); ++i) after << indexAt(keys[i]).siblingAtColumn(before[int(i)].column());
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged({}, VerticalSortHint);
}

QModelIndex RunTableModel::indexAt(const std::string& key) const {
    const auto found = arrangement_->places.find(key);
    if (found == arrangement_->places.end()) return {};
    const auto& place = found->second;
    return place.row < 0 ? index(place.group, 0) : index(place.row, 0, index(place.group, 0));
}

/// As a new layout: for dataChanged() a QTreeView looks for each row among all, which takes a second for 10,000 runs. The hint
/// lets selections keep an index for each row in place of one for each cell.
void RunTableModel::repaintAll() {
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    Q_EMIT layoutChanged({}, VerticalSortHint);
}

void RunTableModel::setChecked(const std::vector<RunRef>& runs) {
    const std::set<RunRef> checked(runs.begin(), runs.end());
    if (checked == checked_) return;
    checked_ = checked;
    repaintAll();
}

const RunGroup& RunTableModel::groupAt(const QModelIndex& index) const {
    return arrangement_->groups[std::size_t(index.internalId() ? index.internalId() - 1 : quintptr(index.row()))];
}

const RunRow* RunTableModel::rowAt(const QModelIndex& index) const {
    const RunGroup& group = groupAt(index);
    if (index.internalId()) return &group.rows[std::size_t(index.row())];
    return isGrouped() ? nullptr : &group.rows.front();
}

std::vector<RunPointer> RunTableModel::runsAt(const QModelIndex& index) const {
    if (!index.isValid()) return {};
    if (const RunRow* row = rowAt(index)) return {row->run};
    std::vector<RunPointer> runs;
    for (const auto& row : groupAt(index).rows) runs.push_back(row.run);
    return runs;
}

std::string RunTableModel::keyAt(const QModelIndex& index) const {
    return index.isValid() ? groupAt(index).key : std::string();
}

QModelIndex RunTableModel::index(int row, int column, const QModelIndex& parent) const {
    if (row < 0 || column < 0 || row >= rowCount(parent) || column >= columnCount(parent)) return {};
    return createIndex(row, column, parent.isValid() ? quintptr(parent.row()) + 1 : 0);
}

QModelIndex RunTableModel::parent(const QModelIndex& index) const {
    return index.isValid() && index.internalId() ? createIndex(int(index.internalId()) - 1, 0, quintptr(0)) : QModelIndex();
}

int RunTableModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) return int(arrangement_->groups.size());
    if (parent.internalId() || parent.column() > 0 || !isGrouped()) return 0;
    return int(groupAt(parent).rows.size());
}

int RunTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() && (parent.internalId() || parent.column() > 0) ? 0 : int(arrangement_->options.columns.size());
}

Qt::CheckState RunTableModel::checkAt(const QModelIndex& index) const {
    const auto runs = runsAt(index);
    const auto n =
        std::count_if(runs.begin(), runs.end(), [&](const auto& run) { return checked_.count(run->record.ref) > 0; });
    return n == 0 ? Qt::Unchecked : n == std::ptrdiff_t(runs.size()) ? Qt::Checked : Qt::PartiallyChecked;
}

bool RunTableModel::edit(const QModelIndex& index, const QVariant& value) {
    if (!(flags(index) & Qt::ItemIsEditable)) return false;
    const Run& run = rowAt(index)->run->record;
    if (columnAt(index.column()).kind == Column::Kind::Run) {
        const QString name = value.toString().trimmed();
        if (!name.isEmpty() && name.toStdString() != run.name) Q_EMIT renamed(run.id, name);
        return true;
    }
    const QStringList tags = tagsOf(value.toStringList());
    if (tags != index.data(Qt::EditRole).toStringList()) Q_EMIT tagged(run.id, tags);
    return true;
}

bool RunTableModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role == Qt::EditRole) return edit(index, value);
    if (role != Qt::CheckStateRole || !index.isValid() || index.column() != 0) return false;
    setTicks({index}, value.toInt() == Qt::Checked);
    return true;
}

void RunTableModel::setTicks(const QModelIndexList& rows, bool on) {
    for (const auto& index : rows)
        for (const auto& run : runsAt(index)) {
            if (on)
                checked_.insert(run->record.ref);
            else
                checked_.erase(run->record.ref);
        }
    repaintAll();
    std::vector<RunRef> ordered;  // what the filter hides keeps its tick, behind the rest
    std::set<RunRef> left = checked_;
    for (const auto& group : arrangement_->groups)
        for (const auto& row : group.rows)
            if (left.erase(row.run->record.ref)) ordered.push_back(row.run->record.ref);
    ordered.insert(ordered.end(), left.begin(), left.end());
    Q_EMIT checkedByUser(ordered);
}

Qt::ItemFlags RunTableModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    const Column::Kind kind = columnAt(index.column()).kind;
    const bool isEditable = kind == Column::Kind::Run || kind == Column::Kind::Tags;
    if (isFor(TableUse::Manage) && isEditable && rowAt(index)->run->record.trashed <= 0) flags |= Qt::ItemIsEditable;
    if (isFor(TableUse::Compare) && index.column() == 0) flags |= Qt::ItemIsUserCheckable;
    if (index.internalId() || !isGrouped()) flags |= Qt::ItemNeverHasChildren;
    return flags;
}

}  // namespace heddle::ui
