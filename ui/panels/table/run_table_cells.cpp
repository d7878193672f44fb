// SPDX-License-Identifier: GPL-3.0-or-later
// The contents of the cells of the run table.
#include "ui/data/studio.h"
#include "ui/panels/table/compared_cells.h"
#include "ui/panels/table/run_table_model.h"
#include "ui/panels/table/tag_field.h"
#include "ui/text/number.h"
#include "ui/text/states.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/widgets/mark_delegate.h"

#include <algorithm>
#include <array>

namespace heddle::ui {
namespace {

using K = Column::Kind;

/// The label of a run below its group: its seed, with the database if several are open.
QString seedLabel(const Run& run) {
    if (run.damaged) return runLabel(run);
    const QString seed = RunTableModel::tr("seed %1").arg(run.seed);
    return run.origin.isEmpty() ? seed : RunTableModel::tr("%1 · %2", "seed, database").arg(seed, run.origin);
}

/// The state in a group's row, the one of its runs that needs attention first, whatever the filter shows of them; `n`: how many
/// runs are in it.
Mark worstOf(const GroupSums& group, int& n) {
    static constexpr std::array<Mark, 9> kUrgency{Mark::Failed, Mark::Interrupted, Mark::Running,
                                                  Mark::Paused, Mark::Stopping,    Mark::Preparing,
                                                  Mark::Queued, Mark::Stopped,     Mark::Completed};
    for (const Mark mark : kUrgency) {
        const auto found = group.marks.find(mark);
        if (found == group.marks.end()) continue;
        n = found->second;
        return mark;
    }
    n = int(group.rows.size());
    return Mark::Damaged;
}

/// The seeds that the comparison uses, of all: "3 of 5".
QString usedText(const ComparedGroup& group) {
    const auto used = qint64(group.values.size()), all = qint64(group.available);
    return used == all ? count(all) : RunTableModel::tr("%1 of %2").arg(count(used), count(all));
}

bool isEmptyWhereUnknown(K kind) { return kind == K::Tags || kind == K::Setting || kind == K::Tag; }

}  // namespace

std::set<Unlike> RunTableModel::doubtsAt(const QModelIndex& index) const {
    const RunRow* row = rowAt(index);
    const Doubts& doubts = row ? row->doubts : groupAt(index).doubts;
    const auto found = doubts.find(std::size_t(index.column()));
    return found == doubts.end() ? std::set<Unlike>() : found->second;
}

QString RunTableModel::textAt(const QModelIndex& index) const {
    const RunRow* row = rowAt(index);
    const QString text = row ? textOfRun(index, *row) : textOfGroup(index);
    return doubtsAt(index).empty() ? text : text + QLatin1Char(' ') + kNotComparable;
}

QString RunTableModel::tipAt(const QModelIndex& index) const {
    const RunRow* row = rowAt(index);
    const QString tip = row ? tipOfRun(index, *row) : tipOfGroup(index);
    const auto doubts = doubtsAt(index);
    if (doubts.empty()) return tip;
    const QString reference = arrangement_->names.at(arrangement_->references.at(std::size_t(index.column())));
    return tr("%1\n%2 not comparable with %3: %4").arg(tip, QString(kNotComparable), reference, doubtWords(doubts));
}

QString RunTableModel::textOfRun(const QModelIndex& index, const RunRow& row) const {
    const Column& column = columnAt(index.column());
    const Cell& cell = row.cell(std::size_t(index.column()));
    if (column.kind == K::Run && isFor(TableUse::Compare))
        return index.internalId() ? seedLabel(row.run->record) : runLabel(row.run->record);
    if (column.kind == K::Seed && index.internalId()) return {};  // the first column says it
    if (column.isCompared()) {
        const StudyComparison* comparison = arrangement_->options.comparison.get();
        const bool isOfGroup = comparison && column.kind == K::Published;
        return comparison
                   ? comparedText(column, cell, *comparison, isOfGroup ? comparison->group(row.run->record.groupKey) : nullptr)
                   : QString();
    }
    if (cell.isEmpty() && isEmptyWhereUnknown(column.kind)) return {};
    return column.isMetric() && isFor(TableUse::Manage) ? column.text(cell) : column.text(cell, *row.run);
}

QString RunTableModel::textOfGroup(const QModelIndex& index) const {
    const Column& column = columnAt(index.column());
    const RunGroup& group = groupAt(index);
    const GroupSums& sums = *group.sums;
    const Cell& cell = sums.cells[std::size_t(index.column())];
    const StudyComparison* comparison = arrangement_->options.comparison.get();
    const ComparedGroup* compared = comparison ? comparison->group(group.key) : nullptr;
    if (column.kind == K::Seed && compared) return usedText(*compared);
    if (column.isCompared()) return compared ? comparedText(column, cell, *comparison, compared) : QString();
    if (column.kind == K::Seed)
        return sums.completed == sums.seeds ? count(sums.seeds) : tr("%1 of %2").arg(count(sums.completed), count(sums.seeds));
    if (column.kind == K::Run) return group.name;
    const bool isOfKey = column.kind == K::Setting || column.kind == K::Tag;
    if (isOfKey && sums.differing.contains(std::size_t(index.column()))) return tr("differs");
    if (cell.isEmpty() && (isEmptyWhereUnknown(column.kind) || column.kind == K::Created)) return {};
    if (sums.rows.size() == 1) return column.text(cell, *group.rows.front().run);
    const auto& spread = sums.spreads[std::size_t(index.column())];
    if (!column.isMetric() || !spread || !spread->deviation) return column.text(cell);
    return tr("%1 ± %2 (%3)").arg(column.text(cell), column.text(numberCell(*spread->deviation)), count(qint64(spread->n)));
}

QString RunTableModel::tipOfRun(const QModelIndex& index, const RunRow& row) const {
    const Column& column = columnAt(index.column());
    const Run& run = row.run->record;
    if (column.kind == K::Run)
        return row.run->problem.isEmpty() ? tr("%1 · run %2").arg(runLabel(run), QString::fromStdString(run.id))
                                          : row.run->problem;
    if (column.kind == K::State)
        return run.intervened < 0
                   ? QString::fromStdString(run.reason)
                   : tr("Interventions changed its training after step %1: it is in no mean.").arg(count(run.intervened));
    const QString more = column.origin(*row.run);
    return more.isEmpty() ? textOfRun(index, row) : more;
}

QString RunTableModel::tipOfGroup(const QModelIndex& index) const {
    const Column& column = columnAt(index.column());
    const RunGroup& group = groupAt(index);
    const GroupSums& sums = *group.sums;
    const RunFacts& first = *group.rows.front().run;
    if (column.kind == K::Run)
        return tr("%1 · group %2 · variant %3")
            .arg(group.name, QString::fromStdString(group.key.substr(0, 12)),
                 QString::fromStdString(first.record.variantHash.substr(0, 12)));
    if (column.kind == K::Seed) return tr("%1 of %Ln seed(s) completed", nullptr, sums.seeds).arg(count(sums.completed));
    if (!column.isMetric()) return {};
    const auto& spread = sums.spreads[std::size_t(index.column())];
    const auto n = qint64(spread ? spread->n : 0);
    const QString head = n > 1 ? tr("mean ± standard deviation of %1 of %Ln seed(s), from %2 to %3", nullptr, sums.seeds)
                                     .arg(count(n), column.text(numberCell(spread->low)), column.text(numberCell(spread->high)))
                               : tr("mean of %1 of %Ln seed(s)", nullptr, sums.seeds).arg(count(n));
    return head + QLatin1Char('\n') + column.origin(first);
}

QVariant RunTableModel::state(const QModelIndex& index, int role) const {
    int n = 1;
    const RunRow* row = rowAt(index);
    const bool isApart =
        row && isFor(TableUse::Compare) && row->run->record.intervened >= 0 && markOf(row->run->record) == Mark::Completed;
    const Mark mark = isApart ? Mark::NotComparable : row ? markOf(row->run->record) : worstOf(*groupAt(index).sums, n);
    if (role == kMarkRole) return int(mark);
    if (row && !isApart) return studio_.stateWord(row->run->record);
    const QString word = lookOf(mark).word;
    const bool all = row || n == int(groupAt(index).sums->rows.size());
    return all ? word : tr("%1 %2", "number of runs, their state").arg(count(n), word.toLower());
}

/// The roles of the cell with the name alone.
QVariant RunTableModel::nameAt(const QModelIndex& index, int role) const {
    const std::string& group = groupAt(index).key;
    const bool isTop = !index.internalId(), isCompare = isFor(TableUse::Compare);
    switch (role) {
    case Qt::CheckStateRole: return isCompare ? QVariant(checkAt(index)) : QVariant();
    case OrderRole: return isTop ? QVariant(studio_.colours().orderOf(group)) : QVariant();
    case BaselineRole:
        return isTop && isCompare && !studio_.colours().baseline().empty() && group == studio_.colours().baseline();
    case Qt::AccessibleTextRole: return checkAt(index) == Qt::Unchecked ? textAt(index) : tr("%1, drawn").arg(textAt(index));
    default: return {};
    }
}

QVariant RunTableModel::comparedAt(const QModelIndex& index, int role) const {
    const auto& comparison = arrangement_->options.comparison;
    const ComparedGroup* group = comparison ? comparison->group(groupAt(index).key) : nullptr;
    if (!group) return {};
    const RunRow* row = index.internalId() || !isGrouped() ? rowAt(index) : nullptr;
    const Column& column = columnAt(index.column());
    switch (role) {
    case GlyphRole: {
        if (column.kind != K::Interval) return {};
        IntervalGlyph glyph = glyphOf(*comparison, *group, row ? row->run.get() : nullptr);
        glyph.order = studio_.colours().orderOf(group->key);
        return QVariant::fromValue(glyph);
    }
    case Qt::DecorationRole:
        if (column.kind != K::Verdict || row) return {};
        return themeIcon(verdictIcon(*comparison, *group), verdictColour(*group));
    case Qt::ForegroundRole: {
        const bool isFaint =
            row && column.kind != K::Difference && !row->cell(std::size_t(index.column())).isEmpty() &&
            !(group->runs.contains(row->run->record.seed) && group->runs.at(row->run->record.seed) == row->run->record.ref);
        return isFaint ? QVariant(Theme::color(Token::Text2)) : QVariant();
    }
    case Qt::ToolTipRole: return comparedTip(column, *comparison, *group);
    case Qt::AccessibleTextRole:
        return column.kind == K::Interval ? comparedText({K::Difference, {}},
                                                         row ? row->cell(std::size_t(index.column()))
                                                             : groupAt(index).sums->cells[std::size_t(index.column())],
                                                         *comparison, row ? nullptr : group)
                                          : textAt(index);
    default: return {};
    }
}

QVariant RunTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Column& column = columnAt(index.column());
    if (column.isCompared())
        if (const QVariant compared = comparedAt(index, role); compared.isValid()) return compared;
    if (column.kind == K::State && (role == kMarkRole || role == Qt::DisplayRole)) return state(index, role);
    switch (role) {
    case Qt::DisplayRole: return textAt(index);
    case Qt::EditRole:
        if (const RunRow* row = rowAt(index); row && column.kind == K::Run)
            return QString::fromStdString(row->run->record.name);
        return column.kind == K::Tags ? QVariant(tagsOf({textAt(index)})) : textAt(index);
    case Qt::ToolTipRole: return tipAt(index);
    case Qt::TextAlignmentRole: return int(Qt::AlignVCenter | (column.isNumeric() ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::FontRole:
        if (column.isNumeric() || column.kind == K::Created) return numberFont(Type::Body);
        if (column.kind == K::Variant) return typeFont(Type::Mono);
        return column.kind == K::Run && !rowAt(index) ? strongFont(Type::Body) : QVariant();
    default: return column.kind == K::Run ? nameAt(index, role) : QVariant();
    }
}

QVariant RunTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const Column& column = columnAt(section);
    const bool isSingle = !isGrouped() && (column.kind == K::Run || column.kind == K::Seed);
    const auto& comparison = arrangement_->options.comparison;
    if (role == GlyphRole && column.kind == K::Interval && comparison && !comparison->baseline.empty())
        return QVariant::fromValue(glyphOf(*comparison, *comparison->baselineGroup()));
    const QString title = column.isCompared() && comparison ? comparedTitle(column, *comparison)
                          : !isSingle                       ? column.title()
                          : column.kind == K::Run           ? tr("Run")
                                                            : tr("Seed");
    if (role == Qt::DisplayRole && column.kind == K::Interval && headerData(section, orientation, GlyphRole).isValid())
        return QString();  // its scale stands there
    if (role == Qt::AccessibleTextRole) return title;
    if (role == Qt::DisplayRole) return title;
    if (role == Qt::ToolTipRole) return isSingle ? title : column.description();
    if (role == Qt::TextAlignmentRole) return int(Qt::AlignVCenter | (column.isNumeric() ? Qt::AlignRight : Qt::AlignLeft));
    return {};
}

}  // namespace heddle::ui
