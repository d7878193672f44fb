// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace heddle {

/// Describes the errno of a failed write. EFBIG means the limit on file sizes, since our programs ignore SIGXFSZ.
std::string writeProblem(int error);

/// What the user can do about it.
std::string writeAdvice(int error);

}  // namespace heddle
