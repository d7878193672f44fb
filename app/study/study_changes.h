// SPDX-License-Identifier: Apache-2.0
// A study that is asked with other settings than its file has, so that it can be tried at a smaller size.
#pragma once

#include "engine/base/json.h"

#include <string>
#include <vector>

namespace heddle::app {

struct StudyChanges {
    std::vector<std::string> set;  ///< assignments for every row, after its own
    bool dropTuning = false;       ///< each row keeps the settings of its spec

    bool empty() const { return set.empty() && !dropTuning; }
    /// As they are given on the command line, without "--set": "train.steps=30 dims.d=16, without tuning"; empty if there are
    /// none.
    std::string text() const;
};

/// The document of a study with these changes. `document` need not be a valid study, which Study::parse() finds. Throws
/// Error(Usage) for a setting that the study tunes, and where a row has runs that exist, which cannot be changed.
Json changedStudy(Json document, const StudyChanges& changes, const std::string& file);

}  // namespace heddle::app
