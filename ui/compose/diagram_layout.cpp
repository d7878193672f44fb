// SPDX-License-Identifier: GPL-3.0-or-later
// Where everything of the diagram stands: two columns, each from its tokens down, in the order of evaluation.
#include "ui/compose/diagram.h"
#include "ui/compose/diagram_words.h"
#include "ui/compose/evaluation_order.h"
#include "ui/shell/number.h"
#include "ui/shell/type.h"

#include <algorithm>

namespace heddle::ui {
namespace {

using Kind = DiagramBox::Kind;
QString text(const std::string& words) { return QString::fromStdString(words); }

class Layouter {
public:
    Layouter(const VariantDraft& draft, const DiagramOptions& options)
        : draft_(draft), options_(options), words_(draft), variant_(draft.facts()->variant) {}

    Diagram layout() {
        const double width = px(300), frame = px(340), gap = px(72);
        const double left = px(16), right = left + frame + gap;
        const double leftEnd = column("encoder", left, frame, width);
        memory_ = {QPointF(left + margin() + width / 2, leftEnd), QPointF(left + frame + gap / 2, leftEnd + px(22))};
        const double rightEnd = column("decoder", right, frame, width);
        tail(right + margin(), rightEnd, width);
        memoryWire();
        legend(left, std::max(leftEnd + px(52), 0.0), frame);
        finish();
        return std::move(d_);
    }

private:
    static double margin() { return px(34); }
    static double rowHeight(Kind kind) {
        switch (kind) {
        case Kind::Mixer: return px(46);
        case Kind::Block: return px(26);
        case Kind::Chip: return px(18);
        default: return px(16);
        }
    }

    DiagramBox& add(Kind kind, const QRectF& rect) {
        DiagramBox box;
        box.kind = kind;
        box.rect = rect;
        box.frame = int(d_.frames.size());
        d_.boxes.push_back(box);
        return d_.boxes.back();
    }

    void wire(QPolygonF points, DiagramWire::End end = DiagramWire::End::Plain) {
        d_.wires.push_back({std::move(points), end});
    }

    /// Marks and words that every box with a site has.
    void dress(DiagramBox& box, const SlotSite& site) {
        box.site = site;
        box.colour = familyOf(site.slot).colour;
        box.differs = options_.differences == Marking::On && words_.differs(site);
        box.problem = words_.problemAt(site);
    }

    double column(const std::string& stack, double x, double frame, double width) {
        const double center = x + margin() + width / 2;
        double y = px(4);
        d_.texts.push_back({QRectF(x, y, frame + px(10), px(16)),
                            words_.tokens(stack),
                            Qt::AlignHCenter,
                            DiagramText::Look::Caption,
                            {},
                            false});
        d_.texts.back().rect.moveCenter(QPointF(center, y + px(8)));
        y += px(18);
        wire({QPointF(center, y), QPointF(center, y + px(10))}, DiagramWire::End::Arrow);
        y = embedding(stack, QPointF(x + margin(), y + px(10)), width);
        const auto& layers = layersOf(variant_, stack);
        const bool fold = !options_.unfolded.contains(stack);
        for (std::size_t i = 0; i < layers.size();) {
            std::size_t end = i;
            while (fold && end + 1 < layers.size() && sameLayer(layers[i], layers[end + 1])) ++end;
            wire({QPointF(center, y), QPointF(center, y + px(10))});
            y = layerFrame({stack, "", "", int(i), int(end)}, QRectF(x, y + px(10), frame, 0), width);
            i = end + 1;
        }
        if (stack == "encoder" ? variant_.finalNormEnc : variant_.finalNormDec) y = finalNorm(stack, x + margin(), y, width);
        return y;
    }

    double embedding(const std::string& stack, QPointF at, double width) {
        DiagramBox& box = add(Kind::Mixer, QRectF(at.x(), at.y(), width, rowHeight(Kind::Mixer)));
        const SlotSite site{"", "", "embed", 0, 0};
        box.title = DiagramWords::tr("Token embedding");
        box.figure = count(words_.embeddingShare(stack));
        dress(box, site);
        box.site.reset();  // its chips are the slots
        box.frame = -1;
        const QRectF rect = box.rect;  // chips() moves the boxes
        chips(rect, {site, {"", "", "position", 0, 0}});
        return rect.bottom();
    }

    /// One chip a slot along the lower edge of a mixer.
    void chips(const QRectF& mixer, const std::vector<SlotSite>& sites) {
        double x = mixer.left() + px(12);
        const double room = (mixer.right() - px(8) - x - px(6) * double(sites.size() - 1));
        double wanted = 0;
        std::vector<double> widths;
        for (const auto& site : sites) {
            widths.push_back(textWidth(words_.chip(site), typeFont(Type::Caption)) + px(14) +
                             (words_.differs(site) ? px(14) : 0));
            wanted += widths.back();
        }
        for (std::size_t i = 0; i < sites.size(); ++i) {
            const double width = wanted > room ? widths[i] * room / wanted : widths[i];
            DiagramBox& chip = add(Kind::Chip, QRectF(x, mixer.bottom() - px(23), width, rowHeight(Kind::Chip)));
            chip.title = words_.chip(sites[i]);
            dress(chip, sites[i]);
            if (sites[i].isGlobal()) chip.frame = -1;
            x += width + px(6);
        }
    }

    double layerFrame(const SlotSite& layers, QRectF rect, double width) {
        const auto& stack = layersOf(variant_, layers.stack);
        const double center = rect.left() + margin() + width / 2;
        double y = rect.top() + px(24);
        wire({QPointF(center, y), QPointF(center, y + px(4))});
        y += px(4);
        for (const auto& sublayer : stack[std::size_t(layers.first)].sublayers)
            y = this->sublayer(sublayer, layers, QRectF(rect.left() + margin(), y, width, 0));
        DiagramFrame frame;
        frame.rect = QRectF(rect.left(), rect.top(), rect.width(), y + px(5) - rect.top());
        frame.stack = layers.stack;
        frame.first = layers.first;
        frame.last = layers.last;
        frame.folded = layers.last > layers.first;
        frame.title = words_.frameTitle(layers);
        frame.figure = words_.frameFigure(layers);
        d_.frames.push_back(frame);
        return frame.rect.bottom();
    }

    double sublayer(const ResolvedSublayer& sublayer, const SlotSite& layers, QRectF rect) {
        const EvaluationOrder order = evaluationOrder(sublayer);
        const double center = rect.center().x(), top = rect.top() + px(4);
        double y = rect.top() + px(12);
        wire({QPointF(center, rect.top()), QPointF(center, y)}, DiagramWire::End::Arrow);
        const auto site = [&](const std::string& slot) {
            return SlotSite{layers.stack, sublayer.name, slot, layers.first, layers.last};
        };
        const auto through = [&](double bottom) {  // the line goes on from part to part
            if (bottom > y) wire({QPointF(center, bottom - px(3)), QPointF(center, bottom)});
            y = bottom;
        };
        for (const auto& slot : order.before) through(row(site(slot), QRectF(rect.left(), y, rect.width(), 0)));
        through(mixer(sublayer, layers, {order.mixer, QRectF(rect.left(), y, rect.width(), 0)}));
        for (const auto& slot : order.after) {
            const double rowTop = y;
            through(row(site(slot), QRectF(rect.left(), y, rect.width(), 0)));
            if (slot == "residual" && d_.boxes.back().kind != Kind::Ghost) skip({center, top}, {rect.left(), rowTop}, y);
        }
        return y + px(2);
    }

    /// The line that carries r past the sublayer.
    void skip(QPointF from, QPointF residual, double bottom) {
        const double x = residual.x() - px(14), middle = (residual.y() + bottom - px(3)) / 2;
        wire({from, QPointF(x, from.y()), QPointF(x, middle), QPointF(residual.x(), middle)}, DiagramWire::End::Arrow);
        d_.texts.push_back({QRectF(x - px(11), (from.y() + middle) / 2 - px(8), px(10), px(16)),
                            QStringLiteral("r"),
                            Qt::AlignHCenter,
                            DiagramText::Look::Variable,
                            {},
                            false});
    }

    struct MixerPlace {
        std::vector<std::string> slots;
        QRectF rect;
    };
    double mixer(const ResolvedSublayer& sublayer, const SlotSite& layers, const MixerPlace& place) {
        const QRectF rect(place.rect.left(), place.rect.top(), place.rect.width(), rowHeight(Kind::Mixer));
        std::vector<SlotSite> sites;
        for (const auto& slot : place.slots) sites.push_back({layers.stack, sublayer.name, slot, layers.first, layers.last});
        DiagramBox& box = add(Kind::Mixer, rect);
        box.title = sublayerTitle(sublayer.name);
        box.figure = words_.parameters(sites);
        if (!sites.empty()) {
            dress(box, sites.front());
            for (const auto& site : sites)
                box.differs = box.differs || (options_.differences == Marking::On && words_.differs(site));
            if (sites.size() > 1) {
                box.site.reset();
                box.problem = 0;
            }
        }
        if (!sites.empty()) chips(rect, sites);
        if (sublayer.name == "cross") crossings_.emplace_back(rect.left(), rect.top() + px(13));
        return rect.bottom() + px(3);
    }

    double row(const SlotSite& site, QRectF rect) {
        const BlockChoice* choice = choiceAt(variant_, site);
        if (!choice) return rect.top();
        const bool thin = familyOf(site.slot).colour == SlotColour::Norm;
        const bool ghost = choice->id == "none";  // the catalogue's word for a slot that holds nothing
        const Kind kind = ghost ? Kind::Ghost : thin ? Kind::Thin : Kind::Block;
        rect.setHeight(rowHeight(kind));
        DiagramBox& box = add(kind, rect);
        dress(box, site);
        words_.describe(box, *choice);
        return rect.bottom() + px(3);
    }

    double finalNorm(const std::string& stack, double x, double y, double width) {
        wire({QPointF(x + width / 2, y), QPointF(x + width / 2, y + px(8))});
        DiagramBox& box = add(Kind::Thin, QRectF(x, y + px(8), width, rowHeight(Kind::Thin)));
        box.frame = -1;
        box.title = DiagramWords::tr("final %1").arg(text(variant_.finalNorm.id));
        box.figure = words_.moduleFigure(stack + ".norm");
        return box.rect.bottom();
    }

    void tail(double x, double y, double width) {
        const double center = x + width / 2;
        wire({QPointF(center, y), QPointF(center, y + px(13))}, DiagramWire::End::Arrow);
        DiagramBox& head = add(Kind::Mixer, QRectF(x, y + px(13), width, rowHeight(Kind::Mixer)));
        head.frame = -1;
        head.title = DiagramWords::tr("Output head");
        head.figure = words_.moduleFigure("head");
        const SlotSite site{"", "", "head", 0, 0};
        dress(head, site);
        const QRectF rect = head.rect;
        chips(rect, {site});
        wire({QPointF(center, rect.bottom()), QPointF(center, rect.bottom() + px(10))}, DiagramWire::End::Arrow);
        d_.texts.push_back({QRectF(x, rect.bottom() + px(11), width, px(16)),
                            words_.logits(),
                            Qt::AlignHCenter,
                            DiagramText::Look::Caption,
                            {},
                            false});
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
            wire(line, DiagramWire::End::Arrow);
        }
        d_.texts.push_back({QRectF(memory_.first.x() + px(8), low - px(17), px(180), px(16)),
                            words_.memory(),
                            Qt::AlignLeft,
                            DiagramText::Look::Caption,
                            {},
                            false});
    }

    void legend(double x, double y, double width) {
        const SlotSite init{"", "", "init", 0, 0};
        if (choiceAt(variant_, init)) {
            DiagramBox& box = add(Kind::Thin, QRectF(x + margin(), y, px(300), rowHeight(Kind::Thin)));
            box.frame = -1;
            dress(box, init);
            words_.describe(box, *choiceAt(variant_, init));
            box.title = DiagramWords::tr("weights start: %1").arg(box.title);
            box.figure.clear();
            y += px(32);
        }
        d_.texts.push_back({QRectF(x, y, width, px(16)),
                            DiagramWords::tr("Slot colours"),
                            Qt::AlignLeft,
                            DiagramText::Look::Strong,
                            {},
                            false});
        y += px(22);
        int place = 0;
        for (const auto& family : words_.families()) {
            const int row = place / 4, column = place % 4;
            d_.texts.push_back({QRectF(x + px(92) * column, y + px(18) * row, px(90), px(16)), family.title, Qt::AlignLeft,
                                DiagramText::Look::Caption, family.colour, false});
            ++place;
        }
        const int rows = (place + 3) / 4;
        y += px(18) * rows + px(6);
        if (options_.differences == Marking::Off) return;
        bool isMark = true;
        for (const QString& line : words_.differing()) {
            const double left = isMark ? x : x + px(18);
            d_.texts.push_back(
                {QRectF(left, y, x + width - left, px(16)), line, Qt::AlignLeft, DiagramText::Look::Caption, {}, isMark});
            isMark = false;
            y += px(16);
        }
    }

    void finish() {
        const auto cover = [&](const QRectF& rect) { d_.bounds = d_.bounds.united(rect); };
        for (const auto& box : d_.boxes) cover(box.rect);
        for (const auto& frame : d_.frames) cover(frame.rect);
        for (const auto& words : d_.texts) cover(words.rect);
        d_.bounds.adjust(-px(8), -px(4), px(8), px(6));
    }

    const VariantDraft& draft_;
    const DiagramOptions& options_;
    DiagramWords words_;
    const ResolvedVariant& variant_;
    Diagram d_;
    std::pair<QPointF, QPointF> memory_;
    std::vector<QPointF> crossings_;
};

}  // namespace

Diagram layoutDiagram(const VariantDraft& draft, const DiagramOptions& options) {
    return draft.facts() ? Layouter(draft, options).layout() : Diagram{};
}

}  // namespace heddle::ui
