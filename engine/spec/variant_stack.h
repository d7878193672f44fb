// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/field_schema.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// The sublayers of a stack ("encoder", "decoder") in order, name and slot values: the well-formed entries of `sublayers`, or
/// the stack's default list. Everything else is a problem.
std::vector<std::pair<std::string, Json>> readSublayers(const std::string& stack, const Json& given,
                                                        std::vector<Problem>& problems);

/// Reports members of `layers` that name a layer or a sublayer which the stack does not have.
void checkExceptions(const std::string& stack, const Json& given, std::int64_t layerCount, std::vector<Problem>& problems);

}  // namespace heddle
