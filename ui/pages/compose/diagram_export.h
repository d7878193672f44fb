// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/compose/diagram.h"

namespace heddle::ui {

/// Writes the diagram as it would be printed, without what serves editing: .svg, .pdf or .png (twice the size) by the end of
/// the file's name, in the colours of the theme. Throws std::runtime_error when it cannot be written.
void writeDiagram(Diagram diagram, const QString& title, const QString& file);

}  // namespace heddle::ui
