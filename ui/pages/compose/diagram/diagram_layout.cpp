// SPDX-License-Identifier: GPL-3.0-or-later
// The layout of the diagram: a column for each stack, from its tokens down, in the order of evaluation.
#include "engine/spec/variant_schema.h"
#include "engine/spec/variant_spec.h"
#include "ui/pages/compose/diagram/diagram_builder.h"
#include "ui/pages/compose/draft/layers_over.h"
#include "ui/text/number.h"
#include "ui/theme/type.h"

#include <algorithm>
#include <utility>

namespace heddle::ui {
namespace {

using Kind = DiagramBox::Kind;

class Layouter : public DiagramBuilder {
public:
    Layouter(const VariantDraft& draft, const DiagramOptions& options)
        : DiagramBuilder(draft, options), layersOver_(variantOver()) {}

    Diagram layout() {
        const double width = px(300), frame = px(340), gap = px(72);
        const double left = px(16), right = left + frame + gap;
        const auto stacks = stacksOf(variant_.topology);
        double end = column(stacks.front(), left, frame, width);
        if (stacks.size() > 1) {
            memory_ = {QPointF(left + margin() + width / 2, end), QPointF(left + frame + gap / 2, end + px(22))};
            const double leftEnd = std::exchange(end, column(stacks.back(), right, frame, width));
            memoryWire();
            addCarries();
            addLegend({left, leftEnd + px(52)}, frame);
            addHead(right + margin(), end, width);
        } else {
            addHead(left + margin(), end, width);
            addCarries();
            addLegend({right, absentStacks(stacks.front(), QRectF(right, 0, frame, 0)) + px(4)}, frame);
        }
        return take();
    }

private:
    static double margin() { return px(34); }

    /// Adds the stacks that only the variant drawn over has; returns where they end.
    double absentStacks(const std::string& own, QRectF rect) {
        double end = 0;
        if (const ResolvedVariant* over = variantOver())
            for (const auto& stack : stacksOf(over->topology))
                if (stack != own) end = absentLayers(stack, rect, 0) + px(20);
        return end;
    }

    static constexpr auto kArrow = DiagramWire::End::Arrow;

    double column(const std::string& stack, double x, double frame, double width) {
        const double center = x + margin() + width / 2;
        double y = px(4);
        QRectF tokens(x, y, frame + px(10), px(16));
        tokens.moveCenter(QPointF(center, y + px(8)));
        caption(tokens, words_.tokens(stack), Qt::AlignHCenter);
        y += px(18);
        wire({QPointF(center, y), QPointF(center, y + px(10))}, kArrow);
        y = embedding(stack, QPointF(x + margin(), y + px(10)), width);
        const auto& layers = layersOf(variant_, stack);
        const bool fold = !options_.unfolded.contains(stack);
        for (std::size_t i = 0; i < layers.size();) {
            std::size_t end = i;
            while (fold && end + 1 < layers.size() && sameLayer(layers[i], layers[end + 1]) &&
                   layersOver_.areEqual(stack, i, end + 1))
                ++end;
            wire({QPointF(center, y), QPointF(center, y + px(10))});
            y = layerFrame({stack, "", "", int(i), int(end)}, QRectF(x, y + px(10), frame, 0), width);
            i = end + 1;
        }
        y = absentLayers(stack, QRectF(x, y, frame, 0), layers.size());
        return finalNorm(stack, QRectF(x + margin(), y, width, 0));
    }

    /// A frame of layers of the variant that `words` describes; it has no place yet.
    static DiagramFrame frameOf(const SlotSite& layers, const DiagramWords& words) {
        DiagramFrame frame;
        frame.stack = layers.stack;
        frame.first = layers.first;
        frame.last = layers.last;
        frame.title = words.frameTitle(layers);
        frame.figure = words.frameFigure(layers);
        frame.folded = layers.last > layers.first;
        return frame;
    }

    /// The layers from `first` on that only the variant drawn over has.
    double absentLayers(const std::string& stack, QRectF rect, std::size_t first) {
        const auto& layers = layersOver_.layers(stack);
        double y = rect.top();
        for (std::size_t i = first; i < layers.size();) {
            std::size_t end = i;
            while (end + 1 < layers.size() && sameLayer(layers[i], layers[end + 1])) ++end;
            const SlotSite site{stack, "", "", int(i), int(end)};
            DiagramFrame frame = frameOf(site, *over());
            frame.rect = QRectF(rect.left(), y + px(10), rect.width(), px(28));
            double bottom = frame.rect.top() + px(28);
            for (const auto& sublayer : layers[i].sublayers)
                bottom = absentSublayer(sublayer, site, QRectF(rect.left() + margin(), bottom, px(300), 0));
            frame.rect.setBottom(bottom + px(5));
            frame.change = DiagramChange::Missing;
            diagram_.frames.push_back(frame);
            y = frame.rect.bottom();
            i = end + 1;
        }
        return y;
    }

    double absentSublayer(const ResolvedSublayer& sublayer, const SlotSite& layers, QRectF rect) {
        rect.setHeight(DiagramBuilder::rowHeight(Kind::Block));
        DiagramBox& box = add(Kind::Empty, rect);
        markMissing(box, layers.slotOf(sublayer.name, sublayerSlots(sublayer.name).front()));
        box.title = sublayerTitle(sublayer.name);
        box.figure = over()->sublayerFigure(sublayer);
        return rect.bottom() + px(5);
    }

    double embedding(const std::string& stack, QPointF at, double width) {
        const SlotSite site{"", "", "embed", 0, 0};
        const QRectF rect = addMixer({at.x(), at.y(), width, 0}, {{site, {"", "", "position", 0, 0}}, {}, {}});
        DiagramBox& box = diagram_.boxes[box_];
        box.title = DiagramWords::tr("Token embedding");
        box.figure = count(words_.embeddingShare(stack));
        box.frame = -1;
        return rect.bottom();
    }

    /// Adds a box with chips below its title. The caller writes title and count into the box at box_.
    QRectF addMixer(QRectF rect, const SlotChips& chips) {
        const double room = rect.width() - px(20);
        rect.setHeight(std::max(DiagramBuilder::rowHeight(Kind::Mixer), px(25) + chipsHeight(chips, room)));
        box_ = diagram_.boxes.size();
        DiagramBox& box = add(Kind::Mixer, rect);
        if (!chips.shown.empty()) setSite(box, chips.shown.front());
        for (const auto& site : chips.shown) box.differs = box.differs || differs(site);
        box.change = DiagramChange::None;  // its chips have their own
        if (chips.shown.size() != 1) {     // its chips are the slots
            box.site.reset();
            box.problem = 0;
        }
        addChips(chips, {rect.left() + px(12), rect.top() + px(23)}, room);
        return rect;
    }

    double layerFrame(const SlotSite& layers, QRectF rect, double width) {
        const double center = rect.left() + margin() + width / 2;
        const bool isNew = over() && std::size_t(layers.first) >= layersOver_.layers(layers.stack).size();
        DiagramFrame frame = frameOf(layers, words_);
        if (isNew) frame.title += QStringLiteral(", ") + DiagramWords::newMark();
        double y = rect.top() + px(24);
        if (layers.first == 0) y += stackHead(layers.stack, {rect.left(), rect.top()}, frame.title);
        wire({QPointF(center, y), QPointF(center, y + px(4))});
        y += px(4);
        for (const auto& [own, absent] : layersOver_.sublayers(variant_, layers)) {
            const QRectF at(rect.left() + margin(), y, width, 0);
            y = own ? sublayer(*own, layers, at) : absentSublayer(*absent, layers, at.translated(0, px(6)));
        }
        frame.rect = QRectF(rect.left(), rect.top(), rect.width(), y + px(5) - rect.top());
        frame.change = isNew ? DiagramChange::New : DiagramChange::None;
        frame.added = std::exchange(added_, {});
        frame.moved = std::exchange(moved_, {});
        diagram_.frames.push_back(frame);
        return frame.rect.bottom();
    }

    /// Adds the slots of the stack: those that are drawn in a row under the head of its first frame, the offers in the head.
    double stackHead(const std::string& stack, QPointF corner, const QString& title) {
        std::vector<SlotSite> sites;
        for (const auto& slot : stackSlots()) sites.push_back({stack, "", slot, 0, 0});
        SlotChips chips = chipsOf(sites);
        const double x = corner.x() + px(34) + textWidth(title, strongFont(Type::Body)), room = px(300);
        addChips({{}, chips.standard, chips.empty}, {x, corner.y() + px(3)}, room);
        chips = {chips.shown, {}, {}};
        const double height = chipsHeight(chips, room);
        if (chips.shown.empty()) return 0;
        addChips(chips, {corner.x() + px(24), corner.y() + px(28)}, room);
        return height + px(5);
    }

    double sublayer(const ResolvedSublayer& sublayer, const SlotSite& layers, QRectF rect) {
        const EvaluationOrder order = evaluationOrder(sublayer);
        const double center = rect.center().x(), top = rect.top() + px(4);
        double y = rect.top() + px(12);
        wire({QPointF(center, rect.top()), QPointF(center, y)}, kArrow);
        const auto site = [&](const std::string& slot) { return layers.slotOf(sublayer.name, slot); };
        const auto through = [&](double bottom) {  // connects the part with the next
            if (bottom > y) wire({QPointF(center, bottom - px(3)), QPointF(center, bottom)});
            y = bottom;
        };
        for (const auto& slot : order.before) through(row(site(slot), QRectF(rect.left(), y, rect.width(), 0)));
        through(mixer(sublayer, layers, {order, QRectF(rect.left(), y, rect.width(), 0)}));
        for (const auto& slot : order.after) {
            const double rowTop = y;
            if (!isShown(site(slot))) continue;
            through(row(site(slot), QRectF(rect.left(), y, rect.width(), 0)));
            if (slot == "residual" && diagram_.boxes.back().kind != Kind::Empty)
                skip({{center, top}, {rect.left(), rowTop}, y, words_.stream(site(slot))});
        }
        const int frame = int(diagram_.frames.size());
        diagram_.sublayers.push_back({QRectF(rect.left(), top, rect.width(), y - top), layers.stack, sublayer.name, frame});
        return y + px(2);
    }

    struct Skip {
        QPointF from, residual;
        double bottom;
        QString what;
    };
    /// The line of the residual stream around the sublayer.
    void skip(const Skip& line) {
        const auto& [from, residual, bottom, what] = line;
        const double x = residual.x() - px(14), middle = (residual.y() + bottom - px(3)) / 2;
        const double width = what.size() > 1 ? px(18) : px(10);
        wire({from, QPointF(x, from.y()), QPointF(x, middle), QPointF(residual.x(), middle)}, kArrow);
        caption(QRectF(x - px(1) - width, (from.y() + middle) / 2 - px(8), width, px(16)), what, Qt::AlignHCenter);
        diagram_.texts.back().look = DiagramText::Look::Variable;
    }

    struct MixerPlace {
        const EvaluationOrder& order;
        QRectF rect;
    };
    double mixer(const ResolvedSublayer& sublayer, const SlotSite& layers, const MixerPlace& place) {
        std::vector<SlotSite> sites;
        const auto site = [&](const std::string& slot) { return layers.slotOf(sublayer.name, slot); };
        for (const auto& slot : place.order.mixer) sites.push_back(site(slot));
        SlotChips chips = chipsOf(sites);
        for (const auto& slot : place.order.after)
            if (!isShown(site(slot))) hide(site(slot), chips);
        const QRectF rect = addMixer(place.rect, chips);
        DiagramBox& box = diagram_.boxes[box_];
        box.title = sublayerTitle(sublayer.name);
        box.figure = words_.parameters(sites);
        if (layersOver_.isNew(sublayer, layers)) {
            box.change = DiagramChange::New;
            box.differs = true;
            added_ << box.title;
        } else if (const auto before = layersOver_.movedFrom(variant_, layers.slotOf(sublayer.name, ""))) {
            box.change = DiagramChange::Moved;
            box.differs = true;
            moved_ << DiagramWords::tr("%1 (place %2 of %3)").arg(box.title).arg(before->index + 1).arg(before->count);
        }
        const double y = rect.top() + px(13);
        if (sublayer.name == "cross") crossings_.emplace_back(rect.left(), y);
        if (layers.first == layers.last && sublayer.slots.contains("score")) {
            const double edge = layers.stack == "encoder" ? rect.left() - margin() : rect.right() + px(6);
            diagram_.attentions.push_back({site("score"), rect, {edge, y}});
        }
        return rect.bottom() + px(3);
    }

    double row(const SlotSite& site, QRectF rect) {
        const BlockChoice* choice = choiceAt(variant_, site);
        if (!choice) return rect.top();
        const bool thin = familyOf(site.slot).colour == SlotColour::Norm;
        const bool ghost = holdsNothing(*choice);
        const Kind kind = ghost ? Kind::Empty : thin ? Kind::Thin : Kind::Block;
        rect.setHeight(DiagramBuilder::rowHeight(kind));
        DiagramBox& box = add(kind, rect);
        setSite(box, site);
        words_.describe(box, *choice);
        compare(box);
        return rect.bottom() + px(3);
    }

    /// The norm after the last layer, of the draft or of the variant drawn over.
    double finalNorm(const std::string& stack, QRectF rect) {
        const auto normOf = [&](const ResolvedVariant& variant) {
            return variant.hasFinalNorm ? DiagramWords::tr("final %1").arg(text(variant.finalNorm.id)) : QString();
        };
        const DiagramWords* beside = over();
        const QString now = normOf(variant_), other = beside ? normOf(beside->facts().variant) : now;
        if (now.isEmpty() && other.isEmpty()) return rect.top();
        const double center = rect.center().x(), y = rect.top();
        wire({QPointF(center, y), QPointF(center, y + px(8))});
        rect.setRect(rect.left(), y + px(8), rect.width(), DiagramBuilder::rowHeight(Kind::Thin));
        DiagramBox& box = add(now.isEmpty() ? Kind::Empty : Kind::Thin, rect);
        box.frame = -1;
        box.title = now.isEmpty() ? other : now;
        box.figure = (now.isEmpty() && beside ? *beside : words_).moduleFigure(stack + ".norm");
        box.differs = now != other;
        if (now.isEmpty())
            box.change = DiagramChange::Missing;
        else if (box.differs)
            box.change = other.isEmpty() ? DiagramChange::New : DiagramChange::Changed;
        if (box.change == DiagramChange::Changed) box.before = other;
        return box.rect.bottom();
    }

    void addHead(double x, double y, double width) {
        const double center = x + width / 2;
        wire({QPointF(center, y), QPointF(center, y + px(13))}, kArrow);
        const SlotSite site{"", "", "head", 0, 0};
        const QRectF rect = addMixer({x, y + px(13), width, 0}, {{site}, {}, {}});
        DiagramBox& head = diagram_.boxes[box_];
        head.frame = -1;
        head.title = DiagramWords::tr("Output head");
        head.figure = words_.moduleFigure("head");
        wire({QPointF(center, rect.bottom()), QPointF(center, rect.bottom() + px(10))}, kArrow);
        caption(QRectF(x, rect.bottom() + px(11), width, px(16)), words_.output(), Qt::AlignHCenter);
    }

    void memoryWire() {
        const double low = memory_.second.y();
        for (std::size_t i = 0; i < crossings_.size(); ++i) {
            const QPointF enter = crossings_[i];
            QPolygonF line{QPointF(memory_.second.x(), enter.y()), enter};
            if (i == 0)
                line = {
                    memory_.first, {memory_.first.x(), low}, {memory_.second.x(), low}, {memory_.second.x(), enter.y()}, enter};
            else
                line.prepend(QPointF(memory_.second.x(), crossings_[i - 1].y()));
            wire(line, kArrow);
        }
        caption(QRectF(memory_.first.x() + px(8), low - px(17), px(180), px(16)), words_.memory());
    }

    LayersOver layersOver_;
    std::size_t box_ = 0;  ///< index of the last mixer; addChips() would invalidate a reference
    std::pair<QPointF, QPointF> memory_;
    std::vector<QPointF> crossings_;
    QStringList added_, moved_;  ///< of the frame that is being drawn
};

}  // namespace

int Diagram::boxOf(const SlotSite& site) const {
    int best = -1;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const auto& own = boxes[i].site;
        if (!own || !own->isSameSlot(site)) continue;
        if (*own == site) return int(i);
        if (site.isGlobal() || (own->first <= site.first && site.first <= own->last)) best = best < 0 ? int(i) : best;
    }
    return best;
}

Diagram layoutDiagram(const VariantDraft& draft, const DiagramOptions& options) {
    return draft.facts() ? Layouter(draft, options).layout() : Diagram{};
}

}  // namespace heddle::ui
