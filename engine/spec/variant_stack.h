// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/field_schema.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// A stack ("encoder", "decoder") as written in a document.
struct GivenStack {
    const std::string& topology;
    const std::string& name;
    const Json& given;
};

/// Name and slot values of a stack's sublayers, in order: the well-formed entries of `sublayers`, or the standard list. Reports
/// everything else.
std::vector<std::pair<std::string, Json>> readSublayers(const GivenStack& stack, std::vector<Problem>& problems);

/// Reports members of `layers` that name a missing layer or sublayer; `layerCount`: layers with weights.
void checkExceptions(const GivenStack& stack, std::int64_t layerCount, std::vector<Problem>& problems);

}  // namespace heddle
