// SPDX-License-Identifier: Apache-2.0
// Changes to the settings of a study's file, so that the study can be tried at a smaller size.
#pragma once

#include "engine/base/json.h"

#include <string>
#include <vector>

namespace heddle::app {

struct StudyChanges {
    std::vector<std::string> set;  ///< assignments for every row, after its own
    bool dropTuning = false;       ///< each row keeps the settings of its spec

    bool empty() const { return set.empty() && !dropTuning; }
    /// Returns the changes as the command line has them, without "--set": "train.steps=30 dims.d=16, without tuning"; empty if
    /// there are none.
    std::string text() const;
};

/// Returns the document of a study with these changes. An invalid `document` may be returned as it is: Study::parse() reports
/// what is wrong. Throws Error(Usage) for a setting that the study tunes, and for a row of existing runs, whose settings cannot
/// be changed; with `set` also the errors of Study::parse().
Json changedStudy(Json document, const StudyChanges& changes, const std::string& file);

}  // namespace heddle::app
