// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/panels/table_models.h"

#include "engine/base/json.h"
#include "ui/pages/compose/forms/parts.h"
#include "ui/text/number.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QPainter>

#include <algorithm>

namespace heddle::ui {
namespace {

QString valueWords(const Json& value) {
    if (value.is_null()) return QString(kNoValue);
    if (value.is_string()) return text(value.get<std::string>());
    return text(value.dump());
}

using Look = CellTable::Look;

CellTable::Rows slotCosts(const VariantDraft& draft) {
    struct Sum {
        SlotFamily family;
        std::int64_t now = 0, before = 0;
    };
    std::vector<Sum> sums;
    const auto add = [&](const DraftFacts& facts, std::int64_t Sum::*where) {
        for (const auto& module : facts.cost.modules) {
            const SlotFamily family = familyOf(slotOfModule(module.path));
            auto found =
                std::find_if(sums.begin(), sums.end(), [&](const Sum& sum) { return sum.family.title == family.title; });
            if (found == sums.end()) found = sums.insert(found, Sum{family, 0, 0});
            (*found).*where += module.parameters;
        }
    };
    CellTable::Rows rows;
    if (!draft.facts()) return rows;
    add(*draft.facts(), &Sum::now);
    const bool compared = draft.baselineFacts() != nullptr;
    if (compared) add(*draft.baselineFacts(), &Sum::before);
    std::stable_sort(sums.begin(), sums.end(), [](const Sum& a, const Sum& b) { return a.now > b.now; });
    std::erase_if(sums, [](const Sum& sum) { return sum.now == 0 && sum.before == 0; });
    const double largest = sums.empty() ? 1 : double(std::max<std::int64_t>(1, sums.front().now));
    std::int64_t now = 0, before = 0;
    const auto change = [&](std::int64_t difference) { return compared ? signedCount(difference) : QString(kNoValue); };
    for (const auto& sum : sums) {
        rows.push_back({{{sum.family.title},
                         {{}, Look::Plain, {}, sum.family.colour, double(sum.now) / largest},
                         {count(sum.now), Look::Number},
                         {change(sum.now - sum.before), Look::Number}}});
        now += sum.now;
        before += sum.before;
    }
    rows.push_back(
        {{{CellTable::tr("Total"), Look::Strong}, {}, {count(now), Look::Strong}, {change(now - before), Look::Strong}}});
    return rows;
}

CellTable::Rows differences(const VariantDraft& draft) {
    CellTable::Rows rows;
    for (const auto& each : draft.differences())
        rows.push_back({{{text(each.path), Look::Mono}, {valueWords(each.now)}, {valueWords(each.baseline)}}, each.example});
    return rows;
}

/// Whether the draft is the baseline with another feed-forward width, as a matched control is (engine/spec/match.h).
bool isControl(const VariantDraft& draft) {
    const auto& all = draft.differences();
    return !all.empty() && std::all_of(all.begin(), all.end(), [](const DraftDifference& one) { return one.path == "dims.f"; });
}

CellTable::Rows problems(const VariantDraft& draft) {
    CellTable::Rows rows;
    const auto add = [&](Mark mark, const QString& what, const std::string& path, const QString& next) {
        rows.push_back({{{what, Look::Plain, mark}, {text(path), Look::Mono}, {next}}, path});
    };
    const bool isValid = draft.problems().empty();
    int number = 0;
    for (const auto& problem : draft.problems())
        add(Mark::Error, QStringLiteral("%1  %2").arg(++number).arg(text(problem.what)), problem.path, text(problem.next));
    const auto& facts = draft.facts();
    if (!isValid) {
        add(Mark::Warning, CellTable::tr("The diagram and the counts show the last valid state."), "",
            CellTable::tr("correct the problems, or undo"));
    } else if (facts) {
        const QString counted = facts->sourceAssumed || facts->targetAssumed ? CellTable::tr("with assumed vocabularies")
                                                                             : CellTable::tr("all sizes are stated");
        add(Mark::Completed, CellTable::tr("Valid: 0 problems, %1 parameters.").arg(count(facts->cost.parameters)), "",
            counted);
    }
    if (isValid && facts && draft.baselineFacts()) {
        const std::int64_t change = facts->cost.parameters - draft.baselineFacts()->cost.parameters;
        const QString by = signedNumber(double(change), 0);
        if (change != 0 && isControl(draft))
            add(Mark::Completed,
                CellTable::tr("Differs from the baseline in the feed-forward width alone: %1 parameters.").arg(by), "dims.f",
                CellTable::tr("put it into the plan beside its variant"));
        else if (change != 0)
            add(Mark::Warning, CellTable::tr("Sizes not matched: %1 parameters alone could explain a difference.").arg(by), "",
                CellTable::tr("make a matched control (M)"));
    }
    return rows;
}

}  // namespace

CellTable::CellTable(const VariantDraft& draft, QStringList headers, Rows (*rowsOf)(const VariantDraft&), QObject* parent)
    : QAbstractTableModel(parent), headers_(std::move(headers)), rows_(rowsOf(draft)) {
    connect(&draft, &VariantDraft::changed, this, [this, &draft, rowsOf] { setRows(rowsOf(draft)); });
}

QVariant CellTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Cell& cell = rows_[std::size_t(index.row())].cells[std::size_t(index.column())];
    switch (role) {
    case Qt::DisplayRole: return cell.text;
    case Qt::ToolTipRole: return cell.text.isEmpty() ? QVariant() : QVariant(cell.text);
    case Qt::FontRole:
        if (cell.look == Look::Number) return numberFont(Type::Body);
        if (cell.look == Look::Mono) return typeFont(Type::Mono);
        if (cell.look == Look::Strong) return strongFont(Type::Body);
        return {};
    case Qt::TextAlignmentRole:
        return int(
            (index.column() > 0 && (cell.look == Look::Number || cell.look == Look::Strong) ? Qt::AlignRight : Qt::AlignLeft) |
            Qt::AlignVCenter);
    case Qt::DecorationRole:
        if (!cell.mark) return {};
        return themeIcon(lookOf(*cell.mark).icon, lookOf(*cell.mark).color);
    case Qt::AccessibleTextRole: return cell.mark ? lookOf(*cell.mark).word + QStringLiteral(": ") + cell.text : QVariant();
    case ShareRole: return cell.share;
    case ColourRole: return cell.colour ? QVariant(int(*cell.colour)) : QVariant();
    default: return {};
    }
}

QVariant CellTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= headers_.size()) return {};
    if (role == Qt::DisplayRole) return headers_[section];
    if (role == Qt::TextAlignmentRole && !rows_.empty() && rows_.front().cells[std::size_t(section)].look == Look::Number)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

void CellTable::setRows(Rows rows) {
    const int before = rowCount(), after = int(rows.size());
    if (after > before) {
        beginInsertRows({}, before, after - 1);
        rows_.resize(std::size_t(after), {std::vector<Cell>(std::size_t(headers_.size()))});
        endInsertRows();
    } else if (after < before) {
        beginRemoveRows({}, after, before - 1);
        rows_.resize(std::size_t(after));
        endRemoveRows();
    }
    for (int i = 0; i < after; ++i) {
        if (rows_[std::size_t(i)] == rows[std::size_t(i)]) continue;
        rows_[std::size_t(i)] = std::move(rows[std::size_t(i)]);
        Q_EMIT dataChanged(index(i, 0), index(i, int(headers_.size()) - 1));
    }
}

CellTable* makeSlotCosts(const VariantDraft& draft, QObject* parent) {
    return new CellTable(draft,
                         {CellTable::tr("Slot"), CellTable::tr("Share"), CellTable::tr("This"), CellTable::tr("Difference")},
                         slotCosts, parent);
}

CellTable* makeDifferences(const VariantDraft& draft, QObject* parent) {
    return new CellTable(draft, {CellTable::tr("Path"), CellTable::tr("This"), CellTable::tr("Baseline")}, differences, parent);
}

CellTable* makeProblems(const VariantDraft& draft, QObject* parent) {
    return new CellTable(draft, {CellTable::tr("What"), CellTable::tr("Where"), CellTable::tr("What to do")}, problems, parent);
}

void ShareDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, option, index);
    const QVariant colour = index.data(CellTable::ColourRole);
    if (!colour.isValid()) return;
    const QRect room = option.rect.adjusted(px(6), 0, -px(6), 0);
    // At least one pixel.
    const int width = std::max(1, int(room.width() * index.data(CellTable::ShareRole).toDouble()));
    painter->fillRect(QRect(room.left(), room.center().y() - px(4), width, px(9)), Theme::color(SlotColour(colour.toInt())));
}

}  // namespace heddle::ui
