// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/catalogue.h"

#include <string>

namespace heddle {

/// The reference manual of every block and preset as Markdown, from the descriptors alone: resources/help/blocks.md, which a
/// test keeps fresh (`heddle blocks manual` prints it).
std::string blockManual(const Catalogue& catalogue);

}  // namespace heddle
