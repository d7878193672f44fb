// SPDX-License-Identifier: GPL-3.0-or-later
// The ways of scores from layer to layer, beside the frames of unfolded layers.
#pragma once

#include "ui/pages/compose/diagram.h"

namespace heddle::ui {

/// An attention of one layer that is drawn alone: its slot "score", and where its way starts and ends.
struct CarryEnd {
    SlotSite score;
    QPointF edge;  ///< of the frame, at the height of the attention
};

/// One arc an offset from an earlier layer to the layer that reads its scores, where both are drawn.
std::vector<DiagramWire> carryWires(const ResolvedVariant& variant, const std::vector<CarryEnd>& ends);

/// The earlier layers that a score block reads, 1 for the one before; empty where it reads none.
std::vector<int> carriedFrom(const BlockChoice& score);

}  // namespace heddle::ui
