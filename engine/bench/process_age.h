// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace heddle {

/// Seconds since this process was started; nothing where the system does not tell.
std::optional<double> processAge();

}  // namespace heddle
