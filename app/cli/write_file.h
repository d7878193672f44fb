// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace heddle::app {

/// Writes a file as a whole: a new file beside it, renamed over it at the end. Throws Error(Failure) naming it.
void writeFile(const std::string& path, const std::string& contents);

}  // namespace heddle::app
