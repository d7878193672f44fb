// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace heddle {

/// Seconds since this process started; nothing when the system does not report it.
std::optional<double> processAge();

}  // namespace heddle
