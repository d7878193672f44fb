// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/error.h"

#include <exception>
#include <string>

namespace heddle::app {

/// Any exception as the one error type that users are shown: storage's errors by their kind, std::bad_alloc as out of memory,
/// everything else as a failure at `where`.
Error asError(const std::exception_ptr& exception, const std::string& where);

}  // namespace heddle::app
