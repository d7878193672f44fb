// SPDX-License-Identifier: GPL-3.0-or-later
// Adds the parts of a diagram: boxes, wires and words with their marks, and the chips of a mixer.
#pragma once

#include "ui/pages/compose/diagram/diagram.h"
#include "ui/pages/compose/diagram/diagram_words.h"

namespace heddle::ui {

/// The slots of a mixer or of a stack: those that are drawn, those that hold the standard block, and those that hold nothing.
struct SlotChips {
    std::vector<SlotSite> shown, standard, empty;
};

class DiagramBuilder {
protected:
    DiagramBuilder(const VariantDraft& draft, const DiagramOptions& options);

    Diagram take();

    static double rowHeight(DiagramBox::Kind kind);
    DiagramBox& add(DiagramBox::Kind kind, const QRectF& rect);
    /// Gives a box its site with the site's marks.
    void setSite(DiagramBox& box, const SlotSite& site) const;
    /// Adds to a box, whose texts are set, the block that its slot has in the variant drawn over.
    void compare(DiagramBox& box) const;
    /// Marks a box as one that only the variant drawn over has.
    void markMissing(DiagramBox& box, const SlotSite& site) const;
    /// The variant drawn over; null where there is none.
    const DiagramWords* over() const { return over_ ? &*over_ : nullptr; }
    const ResolvedVariant* variantOver() const { return over_ ? &over_->facts().variant : nullptr; }
    DiagramChange changeOf(const SlotSite& site) const;
    bool differs(const SlotSite& site) const;
    void wire(QPolygonF points, DiagramWire::End end = DiagramWire::End::Plain);
    /// Adds an arc for each score carry between attentions that are drawn, from the earlier layer to the one that reads its
    /// scores. Arcs that only the variant drawn over has are marked as missing.
    void addCarries();
    void caption(const QRectF& rect, const QString& text, Qt::Alignment align = Qt::AlignLeft);

    /// False for a slot that is listed in an offer: it has its standard block and is not selected.
    bool isShown(const SlotSite& site) const;
    SlotChips chipsOf(const std::vector<SlotSite>& sites) const;
    /// Adds a slot that is not shown to its offer.
    void hide(const SlotSite& site, SlotChips& chips) const;
    /// Height of the rows of chips at this width.
    double chipsHeight(const SlotChips& chips, double width) const;
    /// Adds a chip for each slot, in rows from `top` down, and then the offers: "2 more" and "+".
    void addChips(const SlotChips& chips, QPointF top, double width);
    void addLegend(QPointF corner, double width);

    const VariantDraft& draft_;
    const DiagramOptions& options_;
    DiagramWords words_;
    const ResolvedVariant& variant_;
    Diagram diagram_;

private:
    struct Place {
        double x, width;
        int row;
    };
    using Offer = DiagramBox::Offer;
    DiagramBox chipOf(const SlotSite& site) const;
    /// Of every shown chip, and of every offer that has slots.
    std::vector<Place> arrange(const SlotChips& chips, double width) const;
    void addOffer(Offer offer, const std::vector<SlotSite>& sites, const QRectF& rect);
    /// Adds the initial weights; returns where the rest of the legend begins.
    double addInit(QPointF corner);
    /// Explains the marks of a drawing over another variant.
    void addSigns(QPointF corner, double width);

    std::optional<DiagramWords> over_;
};

}  // namespace heddle::ui
