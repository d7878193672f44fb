// SPDX-License-Identifier: Apache-2.0
// How the parts of a study are read: shared by its schema and that of its tuning.
#pragma once

#include "engine/analysis/study_metric.h"
#include "engine/base/error.h"
#include "engine/base/json_member.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace heddle::study_json {

inline constexpr const char* kNext = "heddle study --help shows a complete study file";

template <class T>
T member(const Json& document, const char* key, const std::string& where, T otherwise) {
    return memberOr<T>(document, key, std::move(otherwise), "the study", where, kNext);
}

/// A word of the study that is one of a few.
template <class T>
T choice(const Json& document, const char* key, const std::string& where, T otherwise,
         const std::vector<std::pair<std::string, T>>& words) {
    const auto found = document.find(key);
    if (found == document.end()) return otherwise;
    std::string all;
    for (const auto& [word, meant] : words) {
        if (*found == word) return meant;
        all += (all.empty() ? "" : ", ") + word;
    }
    throwInvalid(std::string("\"") + key + "\" must not be " + found->dump(), where, "it is one of: " + all);
}

/// Refuses what nobody reads: a misspelt key would be taken for its default.
void requireKeys(const Json& document, const std::string& what, const std::set<std::string>& known, const std::string& where);

/// {"split","name","value","better"}; what is left out is that of the last validation loss. Throws Error(InvalidInput).
StudyMetric readMetric(const Json& document, const std::string& where);
Json metricDocument(const StudyMetric& metric);

}  // namespace heddle::study_json
