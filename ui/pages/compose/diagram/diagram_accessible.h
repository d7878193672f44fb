// SPDX-License-Identifier: GPL-3.0-or-later
// What a screen reader finds in the diagram: its layers and its slots as the items of a list, in the order of evaluation.
#pragma once

namespace heddle::ui {

/// Describes every DiagramView to screen readers from now on; further calls change nothing.
void describeDiagramsToReaders();

}  // namespace heddle::ui
