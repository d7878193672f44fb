// SPDX-License-Identifier: GPL-3.0-or-later
// The legend beside the stacks: how weights start, what the colours mean, what differs from the baseline.
#include "ui/pages/compose/diagram/diagram_builder.h"

#include "ui/theme/type.h"

#include <algorithm>

namespace heddle::ui {
namespace {

constexpr int kColumns = 4;
constexpr int kAroundTitle = 20;  ///< the stripe before it and the gap behind it

}  // namespace

double DiagramBuilder::addInit(QPointF corner) {
    const SlotSite init{"", "", "init", 0, 0};
    const BlockChoice* choice = choiceAt(variant_, init);
    if (!choice) return corner.y();
    const double height = rowHeight(DiagramBox::Kind::Thin);
    DiagramBox& box = add(DiagramBox::Kind::Thin, QRectF(corner.x() + px(34), corner.y(), px(300), height));
    box.frame = -1;
    setSite(box, init);
    words_.describe(box, *choice);
    compare(box);
    QString& first = box.before.isEmpty() || box.isSameBlock ? box.title : box.before;
    first = DiagramWords::tr("weights start: %1").arg(first);
    box.figure.clear();
    return corner.y() + px(32);
}

/// What the marks of a drawing over another variant mean.
void DiagramBuilder::addSigns(QPointF corner, double width) {
    const QString& other = options_.over.name;
    double y = corner.y();
    const auto line = [&](const QString& words, DiagramText::Look look) {
        caption(QRectF(corner.x(), y, width, px(16)), words);
        diagram_.texts.back().look = look;
        y += px(18);
    };
    line(DiagramWords::tr("Drawn over %1").arg(other), DiagramText::Look::Strong);
    const QString before = DiagramWords::tr("before"), now = DiagramWords::tr("now");
    line(before + DiagramWords::arrow() + now, DiagramText::Look::Caption);
    diagram_.texts.back().isMark = true;
    diagram_.texts.back().struck = int(before.size());
    line(DiagramWords::tr("%1: only in this draft").arg(DiagramWords::isNew()), DiagramText::Look::Caption);
    const auto isIn = [](const auto& parts, DiagramChange change) {
        return std::any_of(parts.begin(), parts.end(), [&](const auto& part) { return part.change == change; });
    };
    if (isIn(diagram_.boxes, DiagramChange::Moved))
        line(DiagramWords::tr("%1: has another place in the order of %2").arg(DiagramWords::isMoved(), other),
             DiagramText::Look::Caption);
    const QString missing = DiagramWords::tr("block");
    line(DiagramWords::tr("%1: only in %2").arg(missing, other), DiagramText::Look::Caption);
    diagram_.texts.back().struck = int(missing.size());
    if (isIn(diagram_.wires, DiagramChange::Missing))
        line(DiagramWords::tr("dashed arc: a score carry that only %1 has").arg(other), DiagramText::Look::Caption);
    if (const QString sizes = words_.sizesBeside(over()->facts()); !sizes.isEmpty()) line(sizes, DiagramText::Look::Caption);
}

void DiagramBuilder::addLegend(QPointF corner, double width) {
    auto& texts = diagram_.texts;
    const double x = corner.x();
    double y = addInit(corner);
    caption(QRectF(x, y, width, px(16)), DiagramWords::tr("Slot colours"));
    texts.back().look = DiagramText::Look::Strong;
    y += px(22);
    const auto families = words_.families();
    int widest = 0;
    for (const auto& family : families) widest = std::max(widest, textWidth(family.title, typeFont(Type::Caption)));
    const int step = std::max(px(92), widest + px(kAroundTitle)), columns = std::clamp(int(width / step), 1, kColumns);
    int place = 0;
    for (const auto& family : families) {
        const int row = place / columns, column = place % columns;
        caption(QRectF(x + step * column, y + px(18) * row, step - px(2), px(16)), family.title);
        texts.back().swatch = family.colour;
        ++place;
    }
    y += px(18) * ((place + columns - 1) / columns) + px(6);
    if (options_.differences == Marking::Off) return;
    if (over()) return addSigns({x, y}, width);
    bool isMark = true;
    for (const QString& line : words_.differing()) {
        const double left = isMark ? x : x + px(18);
        caption(QRectF(left, y, x + width - left, px(16)), line);
        texts.back().isMark = isMark;
        isMark = false;
        y += px(16);
    }
}

}  // namespace heddle::ui
