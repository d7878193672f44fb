// SPDX-License-Identifier: GPL-3.0-or-later
// Dragging in the diagram: sublayers by their left edge, score carries from attention to attention.
#pragma once

#include "ui/pages/compose/diagram/diagram.h"

#include <QLineF>

namespace heddle::ui {

/// The sublayer whose left edge is at a point; -1: none.
int sublayerByEdge(const Diagram& diagram, const QPointF& point);

struct SublayerDrop {
    int place = 0;  ///< among the sublayers of the layer
    QLineF line;    ///< where it is shown
};
/// Returns where a sublayer would go if it were dropped at this height; nothing if it would stay where it is.
std::optional<SublayerDrop> dropOf(const Diagram& diagram, int sublayer, double y);

/// The attention under a point that scores can be carried from or to; -1: none.
int attentionAt(const Diagram& diagram, const QPointF& point);
/// True if the scores of one can be carried to another: a later layer of the same stack and sublayer.
bool canCarry(const DiagramAttention& from, const DiagramAttention& to);

}  // namespace heddle::ui
