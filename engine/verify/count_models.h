// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"

#include <optional>
#include <string>

namespace heddle::verify {

/// A row of the table of counts as a variant.
struct CountedModel {
    Json variant;            ///< a document: a preset with the row's sizes
    std::string modules;     ///< only modules whose path ends with this are counted; empty: all
    Json without = {};       ///< a document whose count is subtracted; null: none
    std::string stack = {};  ///< only modules whose path begins with this are counted; empty: all
};

/// The variant of a row, from its name and settings; nothing for a model that this version does not know.
std::optional<CountedModel> countedModel(const std::string& model, const Json& settings);

}  // namespace heddle::verify
