// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace heddle {

/// Absolute path of a file or folder that ships with the program ("presets/eau-base.json", "sample"). Looks in
/// $HEDDLE_RESOURCES and <program>/../share/heddle, which in a build folder is a link to the source tree. Throws
/// Error(Failure), naming every place searched, when it is in none of them.
std::string resourcePath(const std::string& relative);

}  // namespace heddle
