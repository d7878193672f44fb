// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/field_schema.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// A stack ("encoder", "decoder") as a document writes it.
struct GivenStack {
    const std::string& topology;
    const std::string& name;
    const Json& given;
};

/// The sublayers of a stack in order, name and slot values: the well-formed entries of `sublayers`, or the stack's standard
/// list. Everything else is a problem.
std::vector<std::pair<std::string, Json>> readSublayers(const GivenStack& stack, std::vector<Problem>& problems);

/// Reports members of `layers` that name a layer or a sublayer which the stack does not have; `layerCount` have weights.
void checkExceptions(const GivenStack& stack, std::int64_t layerCount, std::vector<Problem>& problems);

}  // namespace heddle
