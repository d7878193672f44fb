// SPDX-License-Identifier: GPL-3.0-or-later
// The contents of the cells of the run table.
#include "ui/pages/compare/run_table_model.h"

#include "ui/data/studio.h"
#include "ui/pages/compare/end_values.h"
#include "ui/text/number.h"
#include "ui/text/states.h"
#include "ui/theme/type.h"
#include "ui/widgets/mark_delegate.h"

#include <algorithm>

namespace heddle::ui {
namespace {

/// The label of a run below its variant: its seed, with the database if several are open.
QString seedLabel(const Run& run) {
    if (run.damaged) return runLabel(run);
    const QString seed = RunTableModel::tr("seed %1").arg(run.seed);
    return run.origin.isEmpty() ? seed : RunTableModel::tr("%1 · %2", "seed, database").arg(seed, run.origin);
}

/// In what the measuring of a row's value differs from that of the group that it is put beside.
std::set<Unlike> doubtsAt(const Arrangement& arrangement, const RunGroup& group, const RunRow* row, std::size_t column) {
    if (!row) return group.doubts[column];
    const std::string& metric = arrangement.options.columns[column].key;
    const auto found = arrangement.measured.find(metric);
    const auto own = found == arrangement.measured.end() ? std::nullopt : row->run->measured(metric);
    if (!own || !row->cells[column].isNumber) return {};
    const auto doubts = unlike(*own, found->second.measured);
    return {doubts.begin(), doubts.end()};
}

/// The state in a variant's row, the one of its runs that needs attention first; `n`: how many runs are in it.
Mark worstOf(const RunGroup& group, int& n) {
    static constexpr std::array<Mark, 9> kUrgency{Mark::Failed, Mark::Interrupted, Mark::Running,
                                                  Mark::Paused, Mark::Stopping,    Mark::Preparing,
                                                  Mark::Queued, Mark::Stopped,     Mark::Completed};
    for (const Mark mark : kUrgency) {
        n = int(std::count_if(group.rows.begin(), group.rows.end(),
                              [&](const RunRow& row) { return markOf(row.run->record) == mark; }));
        if (n > 0) return mark;
    }
    n = int(group.rows.size());
    return Mark::Damaged;
}

}  // namespace

QString RunTableModel::textAt(const QModelIndex& index) const {
    const auto place = std::size_t(index.column());
    QString text = plainTextAt(index);
    if (!arrangement_->options.columns[place].isMetric()) return text;
    const bool isDoubted = !doubtsAt(*arrangement_, groupAt(index), rowAt(index), place).empty();
    return isDoubted ? text + QLatin1Char(' ') + kNotComparable : text;
}

QString RunTableModel::tipAt(const QModelIndex& index) const {
    const auto place = std::size_t(index.column());
    const Column& column = arrangement_->options.columns[place];
    QString tip = plainTipAt(index);
    if (!column.isMetric()) return tip;
    const auto doubts = doubtsAt(*arrangement_, groupAt(index), rowAt(index), place);
    if (doubts.empty()) return tip;
    const QString reference = arrangement_->names.at(arrangement_->measured.at(column.key).group);
    return tr("%1\n%2 not comparable with %3: %4").arg(tip, QString(kNotComparable), reference, doubtWords(doubts));
}

QString RunTableModel::plainTextAt(const QModelIndex& index) const {
    const Column& column = arrangement_->options.columns[std::size_t(index.column())];
    const RunGroup& group = groupAt(index);
    if (const RunRow* row = rowAt(index)) {
        const Cell& cell = row->cells[std::size_t(index.column())];
        if (column.kind == Column::Kind::Run)
            return index.internalId() ? seedLabel(row->run->record) : runLabel(row->run->record);
        if (column.kind == Column::Kind::Seed && index.internalId()) return {};  // the first column says it
        if (cell.isEmpty() && (column.kind == Column::Kind::Tags || column.kind == Column::Kind::Setting)) return {};
        return column.text(cell, *row->run);
    }
    const Cell& cell = group.cells[std::size_t(index.column())];
    const auto total = qint64(group.rows.size());
    if (column.kind == Column::Kind::Seed)
        return group.completed == group.seeds ? count(group.seeds)
                                              : tr("%1 of %2").arg(count(group.completed), count(group.seeds));
    if (column.kind == Column::Kind::Run) return group.name;
    if (cell.isEmpty() && column.kind == Column::Kind::Setting) return tr("differs");
    if (cell.isEmpty() && (column.kind == Column::Kind::Tags || column.kind == Column::Kind::Created)) return {};
    if (total == 1) return column.text(cell, *group.rows.front().run);
    const auto& spread = group.spreads[std::size_t(index.column())];
    if (!column.isMetric() || !spread || !spread->deviation) return column.text(cell);
    return tr("%1 ± %2 (%3)").arg(column.text(cell), column.text(numberCell(*spread->deviation)), count(qint64(spread->n)));
}

QString RunTableModel::plainTipAt(const QModelIndex& index) const {
    const Column& column = arrangement_->options.columns[std::size_t(index.column())];
    const RunGroup& group = groupAt(index);
    if (const RunRow* row = rowAt(index)) {
        if (column.kind == Column::Kind::Run)
            return row->run->problem.isEmpty()
                       ? tr("%1 · run %2").arg(runLabel(row->run->record), QString::fromStdString(row->run->record.id))
                       : row->run->problem;
        if (column.kind == Column::Kind::State)
            return row->run->record.intervened < 0 ? QString::fromStdString(row->run->record.reason)
                                                   : tr("Interventions changed its training after step %1: it is in no mean.")
                                                         .arg(count(row->run->record.intervened));
        return column.origin(*row->run);
    }
    if (column.kind == Column::Kind::Run)
        return tr("%1 · group %2 · variant %3")
            .arg(group.name, QString::fromStdString(group.key.substr(0, 12)),
                 QString::fromStdString(group.rows.front().run->record.variantHash.substr(0, 12)));
    if (column.kind == Column::Kind::Seed)
        return tr("%1 of %Ln seed(s) completed: means are of these", nullptr, group.seeds).arg(count(group.completed));
    if (!column.isMetric()) return {};
    const auto& spread = group.spreads[std::size_t(index.column())];
    const auto n = qint64(spread ? spread->n : 0);
    const QString head = n > 1 ? tr("mean ± standard deviation of %1 of %Ln seed(s), from %2 to %3", nullptr, group.seeds)
                                     .arg(count(n), column.text(numberCell(spread->low)), column.text(numberCell(spread->high)))
                               : tr("mean of %1 of %Ln seed(s)", nullptr, group.seeds).arg(count(n));
    return head + QLatin1Char('\n') + column.origin(*group.rows.front().run);
}

QVariant RunTableModel::state(const QModelIndex& index, int role) const {
    int n = 1;
    const RunRow* row = rowAt(index);
    const bool isApart = row && row->run->record.intervened >= 0 && markOf(row->run->record) == Mark::Completed;
    const Mark mark = isApart ? Mark::NotComparable : row ? markOf(row->run->record) : worstOf(groupAt(index), n);
    if (role == kMarkRole) return int(mark);
    const QString word = lookOf(mark).word;
    const bool all = row || n == int(groupAt(index).rows.size());
    return all ? word : tr("%1 %2").arg(count(n), word.toLower());
}

QVariant RunTableModel::firstColumn(const QModelIndex& index, int role) const {
    const std::string& hash = groupAt(index).key;
    const bool top = !index.internalId();
    switch (role) {
    case Qt::CheckStateRole: return checkAt(index);
    case OrderRole: return top && colours_.order ? QVariant(colours_.order(hash)) : QVariant();
    case BaselineRole: return top && !colours_.baseline.empty() && hash == colours_.baseline;
    default: return {};
    }
}

QVariant RunTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Column& column = arrangement_->options.columns[std::size_t(index.column())];
    if (column.kind == Column::Kind::State && (role == kMarkRole || role == Qt::DisplayRole)) return state(index, role);
    switch (role) {
    case Qt::DisplayRole: return textAt(index);
    case Qt::ToolTipRole: return tipAt(index);
    case Qt::TextAlignmentRole: return int(Qt::AlignVCenter | (column.isNumeric() ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::FontRole:
        if (column.isNumeric()) return numberFont(Type::Body);
        return index.column() == 0 && !rowAt(index) ? strongFont(Type::Body) : QVariant();
    case Qt::AccessibleTextRole:
        if (index.column() != 0) return {};
        return checkAt(index) == Qt::Unchecked ? textAt(index) : tr("%1, drawn").arg(textAt(index));
    default: return index.column() == 0 ? firstColumn(index, role) : QVariant();
    }
}

QVariant RunTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const Column& column = arrangement_->options.columns[std::size_t(section)];
    if (role == Qt::DisplayRole) return column.title();
    if (role == Qt::ToolTipRole) return column.description();
    if (role == Qt::TextAlignmentRole) return int(Qt::AlignVCenter | (column.isNumeric() ? Qt::AlignRight : Qt::AlignLeft));
    return {};
}

}  // namespace heddle::ui
