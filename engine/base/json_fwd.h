// SPDX-License-Identifier: Apache-2.0
// Declares the type Json for headers that only name it. engine/base/json.h includes its definition.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace heddle {

using Json = nlohmann::json;

}  // namespace heddle
