// SPDX-License-Identifier: Apache-2.0
// A study as a run database keeps it: what was asked, when first, and whether the question was changed after its values were
// there. To choose the question by the answer is the simplest way to fool oneself.
#pragma once

#include "engine/analysis/study.h"
#include "storage/run_query.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// The kind of the database's items that are studies; their key is the stem of the study's file.
inline constexpr const char* kStudyItem = "study";

struct AskedStudy {
    Json study;                        ///< Study::toJson()
    std::string folder;                ///< where its relative paths start, absolute
    double asked = 0;                  ///< Unix time, the first
    std::size_t ended = 0;             ///< runs that had ended when it was last asked
    std::vector<StudyChange> changes;  ///< made after runs had ended, oldest first
    bool operator==(const AskedStudy&) const = default;

    /// {"study","folder","asked","ended","changes":[{"at","ended","keys"}]}
    Json toJson() const;
    /// Nothing for a document of another shape.
    static std::optional<AskedStudy> parse(const Json& body);
};

/// The key of the item of a study's file: "gates" of "studies/gates.json".
std::string studyKey(const std::string& file);

/// What a database keeps of the study of this key; nothing while it was not asked there. Throws storage::StorageError.
std::optional<AskedStudy> findAsked(storage::RunQuery& query, const std::string& key);

/// What it keeps after `study` is asked (again) at the Unix time `now`, when `ended` of its runs have ended. A question that
/// differs is a change if runs of the one before had ended; its words ("question") do not count.
AskedStudy askedAgain(const std::optional<AskedStudy>& before, AskedStudy now);

}  // namespace heddle::app
