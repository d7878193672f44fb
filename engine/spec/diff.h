// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"

#include <string>
#include <vector>

namespace heddle {

struct SpecDifference {
    std::string path;
    std::vector<Json> values;  ///< one per document; null: absent
};

/// All leaf paths whose values differ between the documents, sorted. For resolved trees or full run specs.
std::vector<SpecDifference> diffDocuments(const std::vector<Json>& documents);

/// Merges equal differences of several layers into one: "encoder.layers.0,1.self.residual.kind", at the position of the first.
std::vector<SpecDifference> joinLayers(const std::vector<SpecDifference>& differences);

}  // namespace heddle
