// SPDX-License-Identifier: GPL-3.0-or-later
// What a screen reader finds in the diagram: its layers and its slots as the items of a list, in the order of evaluation.
#pragma once

namespace heddle::ui {

/// From now on every DiagramView is described so; more calls change nothing.
void describeDiagramsToReaders();

}  // namespace heddle::ui
