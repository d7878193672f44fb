// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/field_schema.h"

#include <string>

namespace heddle {

/// The SHA-256 of a file as runs record it: of a DataFile after gunzip, of another as it is. Empty where it cannot be read.
/// Remembered while the file's size and time stay as they are. Any thread.
std::string contentOf(FieldSchema::Role role, const std::string& path);

/// Whether both are one file, or two with equal contents. A file that cannot be read is equal to itself alone.
bool haveSameContent(FieldSchema::Role role, const std::string& a, const std::string& b);

}  // namespace heddle
