// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace heddle {

/// Why a write failed, from its errno, for people. A limit on file sizes is named as such: programs ignore SIGXFSZ, so that it
/// arrives as EFBIG.
std::string writeProblem(int error);

/// What to do about it.
std::string writeAdvice(int error);

}  // namespace heddle
