// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"

#include <string>
#include <vector>

namespace heddle {

struct SpecDifference {
    std::string path;
    std::vector<Json> values;  ///< one a document; null where absent
};

/// Every leaf path whose values are not equal in all documents, sorted by path. Use on resolved trees or full run specs.
std::vector<SpecDifference> diffDocuments(const std::vector<Json>& documents);

/// Differences that repeat from layer to layer as one: "encoder.layers.0,1.self.residual.kind", in the place of the first.
std::vector<SpecDifference> joinLayers(const std::vector<SpecDifference>& differences);

}  // namespace heddle
