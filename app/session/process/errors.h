// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/error.h"

#include <exception>
#include <string>

namespace heddle::app {

/// Converts any exception to the error type shown to users: storage errors by kind, std::bad_alloc to out of memory, everything
/// else to a failure at `where`.
Error asError(const std::exception_ptr& exception, const std::string& where);

}  // namespace heddle::app
