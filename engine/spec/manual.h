// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/catalogue.h"
#include "engine/spec/field_rows.h"

#include <string>
#include <vector>

namespace heddle {

/// The reference manual of every block and preset as Markdown, from the descriptors alone: resources/help/blocks.md, which a
/// test keeps up to date (`heddle blocks manual` prints it).
std::string blockManual(const Catalogue& catalogue);

/// All keys of a run spec, including the variant's, in document order.
std::vector<FieldRow> specRows();

/// The reference of the run spec as Markdown: resources/help/spec.md, which a test keeps up to date (`heddle spec --markdown`).
std::string specManual();

}  // namespace heddle
