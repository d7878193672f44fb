// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/arch/source_tree.h"

#include <string>

/// The rules that a compiler cannot check, as functions of text, so that the tests can plant what they must find.
namespace heddle::arch {

/// Who may include whom (the table is in rules.cpp).
Violations arrowViolations(const SourceTree& tree);

/// A folder of engine/ is a layer: it includes what lies in layers below it, and every folder is one (the order is in
/// rules.cpp).
Violations layerViolations(const SourceTree& tree);

/// Layers that the drawing of a guide lacks or has in another order: a line for each, from the top to the ground.
Violations undrawnLayers(const std::string& guide);

/// Libraries of others stay where they belong, also by way of our own headers: torch in engine/ from device
/// upwards, SQLite in storage, Qt in ui, and so on; no file sees both torch and fmt (the wheel carries another fmt).
Violations libraryViolations(const SourceTree& tree);

/// Headers see ATen/core/Tensor.h at most of torch: every other torch header costs each file that sees it seconds.
Violations heavyHeaderViolations(const SourceTree& tree);

/// Files over 400 lines hold more than one idea.
Violations sizeViolations(const SourceTree& tree);

/// An SPDX line opens every file, with the licence of its folder.
Violations licenceViolations(const SourceTree& tree);

/// Every engine/blocks/<slot>/<id>.cpp has its line BLOCK("slot", "id", Name) in engine/blocks/catalogue.cpp and defines
/// describeName(). A source with a header beside it needs neither: the blocks of its slot share it.
Violations unlistedBlocks(const SourceTree& tree);

/// A block is asked what it is (BlockDescriptor), never named: in engine/, app/ and ui/ no literal is the id of a block of
/// catalogue.cpp. An id that is another thing's word, too (kWords), may stand there, but not beside its slot ("score", "none")
/// and not compared with an id. Left out are the blocks' own files, the checks of engine/verify, and the two lists of what
/// stands where nothing is chosen: standard blocks (variant_schema.cpp) and tasks' usual heads (task_kinds.cpp).
Violations namedBlocks(const SourceTree& tree);

/// Blocks read the JSON of their options in engine/blocks/options.h alone: elsewhere no member of an object is named.
Violations untypedOptions(const SourceTree& tree);

/// Operators of LibTorch that begin with an underscore are called in engine/device/torch_private.cpp alone.
Violations privateOperators(const SourceTree& tree);

/// A task is asked what it is (TaskKind) or does (LoadTask, Task): in engine/ and app/ its name is compared with no literal.
/// The names are those that engine/spec/task_kinds.cpp lists; heads that have one of them are compared as ….at("head").id.
Violations taskComparisons(const SourceTree& tree);

/// The text that each fault of tests/mutants/faults.json replaces stands exactly once in its file.
Violations unplantableFaults(const SourceTree& tree, const std::string& faults);

/// The studio has one event loop, QApplication::exec(): what a nested one lets happen meanwhile takes away what its caller
/// holds.
Violations nestedLoops(const SourceTree& tree);

/// Randomness is stateless: no default generator, no generator of the standard library.
Violations generatorViolations(const SourceTree& tree);

/// Only the fixed top-level folders, and no file that names a path of one developer's machine.
Violations folderViolations(const SourceTree& tracked);
Violations machinePathViolations(const SourceTree& tracked);

}  // namespace heddle::arch
