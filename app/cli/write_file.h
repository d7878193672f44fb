// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace heddle::app {

/// Writes a file atomically by renaming a new file over it. Throws Error(Failure) naming it.
void writeFile(const std::string& path, const std::string& contents);

}  // namespace heddle::app
