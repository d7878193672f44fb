// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/compose/diagram/diagram.h"

namespace heddle::ui {

/// Writes the diagram as it would be printed, without what serves editing, in the colours of the light theme. See
/// writePicture().
void writeDiagram(Diagram diagram, const QString& title, const QString& file);

}  // namespace heddle::ui
