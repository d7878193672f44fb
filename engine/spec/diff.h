// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"

#include <map>
#include <string>
#include <vector>

namespace heddle {

struct SpecDifference {
    std::string path;
    std::vector<Json> values;                ///< one per document; null: absent
    std::vector<std::string> contents = {};  ///< one per document where they are files that were compared by their contents
};

/// SHA-256 of the files that a run spec names, by path of the setting: "data.train.source".
using FileContents = std::map<std::string, std::string>;

/// All leaf paths whose values differ between the documents, sorted. For resolved trees or full run specs.
std::vector<SpecDifference> diffDocuments(const std::vector<Json>& documents);

/// The same, but a setting whose contents are known of every document differs if these do, whatever the names of the files.
std::vector<SpecDifference> diffDocuments(const std::vector<Json>& documents, const std::vector<FileContents>& contents);

/// Merges equal differences of several layers into one: "encoder.layers.0,1.self.residual.kind", at the position of the first.
std::vector<SpecDifference> joinLayers(const std::vector<SpecDifference>& differences);

}  // namespace heddle
