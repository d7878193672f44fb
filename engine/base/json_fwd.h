// SPDX-License-Identifier: Apache-2.0
// The name Json alone, for headers that declare functions of it. engine/base/json.h has the type.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace heddle {

using Json = nlohmann::json;

}  // namespace heddle
