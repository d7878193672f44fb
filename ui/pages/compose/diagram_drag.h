// SPDX-License-Identifier: GPL-3.0-or-later
// Where a sublayer that is dragged by its left edge would go.
#pragma once

#include "ui/pages/compose/diagram.h"

#include <QLineF>

namespace heddle::ui {

/// The sublayer whose left edge is at a point; -1: none.
int sublayerByEdge(const Diagram& diagram, const QPointF& point);

struct SublayerDrop {
    int place = 0;  ///< among the sublayers of the layer
    QLineF line;    ///< where it is shown
};
/// What letting go at a height would do to a sublayer of the diagram; nothing if it would stay where it is.
std::optional<SublayerDrop> dropOf(const Diagram& diagram, int sublayer, double y);

/// The attention under a point that scores can be carried from or to; -1: none.
int attentionAt(const Diagram& diagram, const QPointF& point);
/// True if the scores of one can be carried to another: a later layer of the same stack and sublayer.
bool canCarry(const DiagramAttention& from, const DiagramAttention& to);

}  // namespace heddle::ui
