// SPDX-License-Identifier: GPL-3.0-or-later
// The diagram of a variant as plain geometry: boxes, frames, wires and words, laid out from a resolved variant.
#pragma once

#include "ui/pages/compose/draft/slot_site.h"
#include "ui/pages/compose/draft/variant_draft.h"

#include <QPolygonF>
#include <QRectF>

#include <set>

namespace heddle::ui {

/// How a part differs from the variant that the draft is drawn over. Missing: only that variant has it. Moved: a sublayer at
/// another place in the order.
enum class DiagramChange { None, New, Missing, Changed, Moved };

/// A box of the drawing; one with a site can be selected. Chip: a slot inside a mixer. Empty: a slot that holds nothing.
struct DiagramBox {
    enum class Kind { Mixer, Block, Thin, Empty, Chip };
    /// The slots that a chip offers in a menu. Add: those that hold nothing and can get a block. More: those that hold the
    /// standard block.
    enum class Offer { None, Add, More };
    Kind kind = Kind::Block;
    QRectF rect;
    SlotColour colour = SlotColour::Norm;
    QString title, detail, figure;
    std::optional<SlotSite> site;
    Offer offer = Offer::None;
    std::vector<std::pair<SlotSite, QString>> others;  ///< of an offer: its slots, in words
    bool differs = false;
    DiagramChange change = DiagramChange::None;
    /// The block there in the variant drawn over; with `isSameBlock`, the parameters that the same block has there.
    QString before;
    bool isSameBlock = false;
    bool isAbsent = false;  ///< the draft has no such slot, so it cannot be edited
    int problem = 0;        ///< number of the problem of this slot; 0: none
    int frame = -1;         ///< index of the frame around it

    bool isOffer() const { return offer != Offer::None; }
    /// True for a slot of the draft, which can be edited.
    bool isSlot() const { return site && !isOffer() && !isAbsent; }
};

/// The layers first … last of a stack, drawn as one.
struct DiagramFrame {
    QRectF rect;
    std::string stack;
    int first = 0, last = 0;
    QString title, figure;
    bool folded = false;
    DiagramChange change = DiagramChange::None;
    QStringList added;  ///< titles of sublayers that the variant drawn over has not
    QStringList moved;  ///< of sublayers that it has at another place: "Feed-forward (place 1 of 2)"
};

/// A sublayer of a drawn layer, with its rows.
struct DiagramSublayer {
    QRectF rect;
    std::string stack, name;
    int frame = 0;
};

/// An attention of a layer that is drawn alone: score carries start and end at it.
struct DiagramAttention {
    SlotSite score;
    QRectF rect;
    QPointF edge;  ///< point at its height beside the frame where score carries start and end
};

struct DiagramWire {
    enum class End { Plain, Arrow };
    QPolygonF points;
    End end = End::Plain;
    std::optional<SlotColour> colour;  ///< of a score carry; nothing: a wire of the residual stream
    DiagramChange change = DiagramChange::None;
};

struct DiagramText {
    enum class Look { Caption, Strong, Variable };
    QRectF rect;
    QString text;
    Qt::Alignment align = Qt::AlignLeft;
    Look look = Look::Caption;
    std::optional<SlotColour> swatch;
    bool isMark = false;  ///< a ≠ before the text
    int struck = 0;       ///< number of its first letters that are struck through
};

struct Diagram {
    QRectF bounds;
    std::vector<DiagramBox> boxes;
    std::vector<DiagramFrame> frames;
    std::vector<DiagramSublayer> sublayers;  ///< of each frame in the order of evaluation
    std::vector<DiagramAttention> attentions;
    std::vector<DiagramWire> wires;
    std::vector<DiagramText> texts;
    QString over;  ///< name of the variant drawn over; empty: none

    const DiagramBox& box(int index) const { return boxes[std::size_t(index)]; }
    const DiagramFrame& frame(int index) const { return frames[std::size_t(index)]; }
    /// The box of a site, or of the slot at its first layer; -1 when it is not drawn.
    int boxOf(const SlotSite& site) const;
};

enum class Marking { Off, On };

/// A variant that a draft is drawn over.
struct DrawnOver {
    QString name;
    Facts facts;
};

/// What the diagram shows of the draft.
struct DiagramOptions {
    std::set<std::string> unfolded;  ///< stacks whose layers are all drawn
    Marking differences = Marking::On;
    std::optional<SlotSite> selected = std::nullopt;  ///< drawn even if it holds the standard block
    Marking carries = Marking::On;                    ///< arcs between unfolded layers that carry scores
    DrawnOver over = {};                              ///< without facts: differences from the baseline are marked
};

Diagram layoutDiagram(const VariantDraft& draft, const DiagramOptions& options);

}  // namespace heddle::ui
