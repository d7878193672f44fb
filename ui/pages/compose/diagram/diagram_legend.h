// SPDX-License-Identifier: GPL-3.0-or-later
// The legend beside the stacks: how weights start, what the colours mean, what differs from the baseline.
#pragma once

#include "ui/pages/compose/diagram/diagram_builder.h"

namespace heddle::ui {

void addLegend(DiagramBuilder& builder, QPointF corner, double width);

}  // namespace heddle::ui
