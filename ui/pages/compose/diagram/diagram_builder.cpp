// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/diagram/diagram_builder.h"

#include "ui/theme/type.h"

#include <algorithm>
#include <cmath>

namespace heddle::ui {
namespace {

using Kind = DiagramBox::Kind;

double chipStep() { return px(21); }

/// With its marks.
double chipWidth(const DiagramBox& chip) {
    const QFont font = typeFont(Type::Caption);
    double width = textWidth(chip.title, font) + px(14);
    if (!chip.before.isEmpty()) width += textWidth(chip.before + DiagramWords::arrow(), font);
    if (!chip.detail.isEmpty()) width += textWidth(chip.detail, font) + px(12);
    if (chip.change == DiagramChange::New) return width + textWidth(DiagramWords::newMark(), font) + px(8);
    return width + (chip.differs && chip.change != DiagramChange::Missing ? px(14) : 0);
}

constexpr int kSteps = 16;  // straight pieces of an arc

/// Left of an encoder's frames, right of a decoder's, the farther from them the more layers it spans.
QPolygonF arc(const DiagramAttention& from, const DiagramAttention& to) {
    const double side = from.score.stack == "encoder" ? -1 : 1;
    const double depth = side * px(8 + 9 * (to.score.first - from.score.first));
    const double begin = from.edge.y() + px(5), end = to.edge.y() - px(5);
    QPolygonF points;
    for (int i = 0; i <= kSteps; ++i) {
        const double t = double(i) / kSteps;
        points << QPointF(to.edge.x() + depth * std::sin(M_PI * t), begin + (end - begin) * t);
    }
    return points;
}

/// The slot names of offers; no real slot has such a name.
constexpr char kAdd[] = "+", kMore[] = "…";

// Of the legend.
constexpr int kColumns = 4;
constexpr int kAroundTitle = 20;  ///< the stripe before it and the gap after it

}  // namespace

DiagramBuilder::DiagramBuilder(const VariantDraft& draft, const DiagramOptions& options)
    : draft_(draft), options_(options), words_(draft), variant_(draft.facts()->variant) {
    if (options.differences == Marking::Off || !options.over.facts) return;
    over_.emplace(draft, *options.over.facts);
    diagram_.over = options.over.name;
}

Diagram DiagramBuilder::take() {
    const auto include = [&](const QRectF& rect) { diagram_.bounds = diagram_.bounds.united(rect); };
    for (const auto& box : diagram_.boxes) include(box.rect);
    for (const auto& frame : diagram_.frames) include(frame.rect);
    for (const auto& wire : diagram_.wires) include(wire.points.boundingRect().adjusted(0, 0, 1, 1));
    for (const auto& words : diagram_.texts) include(words.rect);
    diagram_.bounds.adjust(-px(8), -px(4), px(8), px(6));
    return std::move(diagram_);
}

double DiagramBuilder::rowHeight(Kind kind) {
    switch (kind) {
    case Kind::Mixer: return px(46);
    case Kind::Block: return px(26);
    case Kind::Chip: return px(18);
    default: return px(16);
    }
}

DiagramBox& DiagramBuilder::add(Kind kind, const QRectF& rect) {
    DiagramBox box;
    box.kind = kind;
    box.rect = rect;
    box.frame = int(diagram_.frames.size());
    diagram_.boxes.push_back(box);
    return diagram_.boxes.back();
}

void DiagramBuilder::setSite(DiagramBox& box, const SlotSite& site) const {
    box.site = site;
    box.colour = familyOf(site.slot).colour;
    box.differs = differs(site);
    box.change = changeOf(site);
    box.problem = words_.problemAt(site);
}

void DiagramBuilder::wire(QPolygonF points, DiagramWire::End end) {
    diagram_.wires.push_back({std::move(points), end, std::nullopt});
}

void DiagramBuilder::caption(const QRectF& rect, const QString& text, Qt::Alignment align) {
    diagram_.texts.push_back({rect, text, align, DiagramText::Look::Caption, {}, false});
}

void DiagramBuilder::addCarries() {
    if (options_.carries == Marking::Off) return;
    const auto offsetsAt = [](const ResolvedVariant* of, const SlotSite& score) {
        const BlockChoice* choice = of ? choiceAt(*of, score) : nullptr;
        return choice ? carriedFrom(*choice) : std::vector<int>{};
    };
    for (const auto& to : diagram_.attentions) {
        const auto add = [&](int offset, DiagramChange change) {
            const SlotSite earlier = to.score.inLayer(to.score.first - offset);
            for (const auto& from : diagram_.attentions)
                if (from.score == earlier)
                    diagram_.wires.push_back({arc(from, to), DiagramWire::End::Arrow, SlotColour::Score, change});
        };
        const std::vector<int> now = offsetsAt(&variant_, to.score);
        for (const int offset : now) add(offset, DiagramChange::None);
        for (const int offset : offsetsAt(variantOver(), to.score))
            if (std::find(now.begin(), now.end(), offset) == now.end()) add(offset, DiagramChange::Missing);
    }
}

bool DiagramBuilder::differs(const SlotSite& site) const {
    if (options_.differences == Marking::Off) return false;
    return over_ ? changeOf(site) != DiagramChange::None : words_.differs(site);
}

/// None for a slot of a layer or sublayer that the other variant does not have: the whole layer or sublayer is marked as new.
DiagramChange DiagramBuilder::changeOf(const SlotSite& site) const {
    const BlockChoice* now = choiceAt(variant_, site);
    const BlockChoice* before = over_ ? choiceAt(over_->facts().variant, site) : nullptr;
    if (!now || !before || *now == *before) return DiagramChange::None;
    return holdsNothing(*now) ? DiagramChange::Missing : holdsNothing(*before) ? DiagramChange::New : DiagramChange::Changed;
}

void DiagramBuilder::compare(DiagramBox& box) const {
    if (box.change != DiagramChange::Missing && box.change != DiagramChange::Changed) return;
    const BlockChoice& now = *choiceAt(variant_, *box.site);
    const BlockChoice& before = *choiceAt(over_->facts().variant, *box.site);
    DiagramBox other;
    other.kind = box.kind == Kind::Empty ? Kind::Block : box.kind;
    other.site = box.site;
    if (other.kind == Kind::Chip)
        other.title = over_->chip(*box.site);
    else
        over_->describe(other, before);
    if (box.change == DiagramChange::Missing) {
        box.title = other.title;
        box.figure = other.figure;
        return;
    }
    box.isSameBlock = other.title == box.title;
    if (!box.isSameBlock) {
        box.before = other.title;
        return;
    }
    const auto parameters = [&](const BlockChoice& choice) {
        const QString words = parameterWords(builtinCatalogue().at(box.site->slot, choice.id), choice.params);
        return words.isEmpty() ? DiagramWords::tr("standard") : words;
    };
    box.before = parameters(before);
    if (box.kind != Kind::Block || parameterWords(builtinCatalogue().at(box.site->slot, now.id), now.params).isEmpty())
        box.detail = parameters(now);
}

void DiagramBuilder::markMissing(DiagramBox& box, const SlotSite& site) const {
    box.site = site;
    box.colour = familyOf(site.slot).colour;
    box.change = DiagramChange::Missing;
    box.differs = box.isAbsent = true;
}

DiagramBox DiagramBuilder::chipOf(const SlotSite& site) const {
    DiagramBox chip;
    chip.kind = Kind::Chip;
    chip.title = words_.chip(site);
    setSite(chip, site);
    compare(chip);
    return chip;
}

bool DiagramBuilder::isShown(const SlotSite& site) const {
    const BlockChoice* choice = choiceAt(variant_, site);
    if (!choice) return false;
    const auto& selected = options_.selected;
    const bool isSelected =
        selected && selected->isSameSlot(site) && selected->first <= site.last && site.first <= selected->last;
    const bool isOther = over_ ? changeOf(site) != DiagramChange::None : words_.isOtherInBaseline(site);
    return isSelected || !isSecondary(site.slot) || !isStandard(site, *choice) || isOther || words_.problemAt(site) > 0;
}

SlotChips DiagramBuilder::chipsOf(const std::vector<SlotSite>& sites) const {
    SlotChips chips;
    for (const auto& site : sites) isShown(site) ? chips.shown.push_back(site) : hide(site, chips);
    return chips;
}

void DiagramBuilder::hide(const SlotSite& site, SlotChips& chips) const {
    const BlockChoice* choice = choiceAt(variant_, site);
    (choice && holdsNothing(*choice) ? chips.empty : chips.standard).push_back(site);
}

std::vector<DiagramBuilder::Place> DiagramBuilder::arrange(const SlotChips& chips, double width) const {
    std::vector<Place> places;
    double x = 0;
    int row = 0;
    const auto put = [&](double wanted) {
        const double own = std::min(wanted, width);
        if (x > 0 && x + own > width) {
            x = 0;
            ++row;
        }
        places.push_back({x, own, row});
        x += own + px(6);
    };
    for (const auto& site : chips.shown) put(chipWidth(chipOf(site)));
    if (!chips.standard.empty())
        put(textWidth(DiagramWords::more(chips.standard.size()), typeFont(Type::Caption)) + px(14) + px(14));
    if (!chips.empty.empty()) put(px(18));
    return places;
}

double DiagramBuilder::chipsHeight(const SlotChips& chips, double width) const {
    const auto places = arrange(chips, width);
    return places.empty() ? 0 : chipStep() * (places.back().row + 1);
}

void DiagramBuilder::addChips(const SlotChips& chips, QPointF top, double width) {
    const auto places = arrange(chips, width);
    const auto rectOf = [&](const Place& place) {
        return QRectF(top.x() + place.x, top.y() + chipStep() * place.row, place.width, rowHeight(Kind::Chip));
    };
    for (std::size_t i = 0; i < chips.shown.size(); ++i) {
        DiagramBox& chip = add(Kind::Chip, {});
        const int frame = chips.shown[i].isGlobal() ? -1 : chip.frame;
        chip = chipOf(chips.shown[i]);
        chip.rect = rectOf(places[i]);
        chip.frame = frame;
    }
    auto place = places.begin() + std::ptrdiff_t(chips.shown.size());
    if (!chips.standard.empty()) addOffer(Offer::More, chips.standard, rectOf(*place++));
    if (!chips.empty.empty()) addOffer(Offer::Add, chips.empty, rectOf(*place));
}

void DiagramBuilder::addOffer(Offer offer, const std::vector<SlotSite>& sites, const QRectF& rect) {
    DiagramBox& box = add(Kind::Chip, rect);
    box.offer = offer;
    box.title = offer == Offer::Add ? QStringLiteral("+") : DiagramWords::more(sites.size());
    box.colour = SlotColour::Norm;
    box.site = sites.front();
    box.site->slot = offer == Offer::Add ? kAdd : kMore;
    for (const auto& site : sites)
        box.others.emplace_back(site, offer == Offer::Add ? QString::fromStdString(site.slot) : words_.slotWords(site));
}

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
    first = DiagramWords::tr("initial weights: %1").arg(first);
    box.figure.clear();
    return corner.y() + px(32);
}

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
    line(DiagramWords::tr("%1: only in this draft").arg(DiagramWords::newMark()), DiagramText::Look::Caption);
    const auto isIn = [](const auto& parts, DiagramChange change) {
        return std::any_of(parts.begin(), parts.end(), [&](const auto& part) { return part.change == change; });
    };
    if (isIn(diagram_.boxes, DiagramChange::Moved))
        line(DiagramWords::tr("%1: at another place in %2").arg(DiagramWords::movedMark(), other), DiagramText::Look::Caption);
    const QString missing = DiagramWords::tr("block");
    line(DiagramWords::tr("%1: only in %2").arg(missing, other), DiagramText::Look::Caption);
    diagram_.texts.back().struck = int(missing.size());
    if (isIn(diagram_.wires, DiagramChange::Missing))
        line(DiagramWords::tr("dashed arc: score carry only in %1").arg(other), DiagramText::Look::Caption);
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
