// SPDX-License-Identifier: GPL-3.0-or-later
// Score carries from layer to layer, drawn beside the frames of unfolded layers.
#pragma once

#include "ui/pages/compose/diagram/diagram.h"

namespace heddle::ui {

/// Returns an arc for each offset, from the earlier layer to the layer that reads its scores, where both are drawn. Arcs that
/// only `over` has are marked as missing; it may be null.
std::vector<DiagramWire> carryWires(const ResolvedVariant& variant, const ResolvedVariant* over,
                                    const std::vector<DiagramAttention>& ends);

}  // namespace heddle::ui
