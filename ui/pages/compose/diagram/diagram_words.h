// SPDX-License-Identifier: GPL-3.0-or-later
// The texts of the diagram: names, parameters, counts, marks.
#pragma once

#include "ui/pages/compose/diagram/diagram.h"

#include <QCoreApplication>

namespace heddle::ui {

class DiagramWords {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::Diagram)

public:
    explicit DiagramWords(const VariantDraft& draft);
    /// Of another variant than the draft's.
    DiagramWords(const VariantDraft& draft, const DraftFacts& facts);

    const DraftFacts& facts() const { return facts_; }
    bool differs(const SlotSite& site) const;
    int problemAt(const SlotSite& site) const;
    /// True if the baseline has this slot with another block or other parameters.
    bool isOtherInBaseline(const SlotSite& site) const;
    /// "dot 8 × 16, sqrt_d", "mask causal", "shared × 6".
    QString chip(const SlotSite& site) const;
    /// Marks of a draft that is drawn over another variant.
    static QString arrow() { return QStringLiteral(" → "); }
    static QString newMark() { return tr("new"); }
    static QString movedMark() { return tr("moved"); }
    /// "2 more": slots that are not drawn.
    static QString more(std::size_t slots);
    /// "mask: padding", in a list of slots.
    QString slotWords(const SlotSite& site) const;
    /// Title, detail and count of a row.
    void describe(DiagramBox& box, const BlockChoice& choice) const;
    QString parameters(const std::vector<SlotSite>& sites) const;  ///< of one layer
    QString moduleFigure(const std::string& path) const;
    QString tokens(const std::string& stack) const;
    QString memory() const;
    /// The output of the head: "logits [B, S, 7,853]".
    QString output() const;
    QString frameTitle(const SlotSite& layers) const;
    QString frameFigure(const SlotSite& layers) const;
    /// The stack's part of the embedding's parameters; a shared table counts on the target side.
    std::int64_t embeddingShare(const std::string& stack) const;
    QStringList differing() const;
    /// "d 512 → 256, heads 8 → 4": sizes that differ from another variant's.
    QString sizesBeside(const DraftFacts& other) const;
    QString sublayerFigure(const ResolvedSublayer& sublayer) const;
    /// What goes around a sublayer to its residual block, as the block's formula names it: "r" for the residual stream, "4h"
    /// for four of them, "X" and "v" for the sums and outputs of earlier layers.
    QString stream(const SlotSite& residual) const;
    std::vector<SlotFamily> families() const;

private:
    std::int64_t count(const std::string& path) const;
    std::int64_t count(const ResolvedSublayer& sublayer) const;  ///< of all its slots
    QString stackWords(const SlotSite& site, const BlockChoice& choice) const;

    const VariantDraft& draft_;
    const DraftFacts& facts_;
    std::map<std::string, int> problems_;  ///< by module path of the first layer
};

/// A layer or a slot for screen readers, with its count and marks. `over`: name of the variant drawn over.
QString accessibleText(const DiagramFrame& frame, const QString& over);
QString accessibleText(const DiagramBox& box, const QString& over);

}  // namespace heddle::ui
