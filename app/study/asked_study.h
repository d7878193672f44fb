// SPDX-License-Identifier: Apache-2.0
// A study as a run database stores it: the question, when it was first asked, and whether it was changed after runs had ended.
// A question that is chosen after the values are known gives a misleading answer.
#pragma once

#include "engine/analysis/study.h"
#include "engine/run/requests.h"
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
    std::size_t ended = 0;             ///< the most runs of this question that had ended when it was asked
    std::vector<StudyChange> changes;  ///< made after runs had ended, oldest first
    std::size_t most = 0;              ///< the most runs that had ended of this question or an earlier one; never below `ended`
    /// Of `ended` those of rows of existing runs; nothing where an earlier version recorded it.
    std::optional<std::size_t> existing = {};
    bool operator==(const AskedStudy&) const = default;

    /// {"study","folder","asked","ended","changes":[{"at","ended","keys","runs"}],"most","existing"}
    Json toJson() const;
    /// Nothing for a document of another shape.
    static std::optional<AskedStudy> parse(const Json& body);
};

/// Returns the key of a study's item in a database: "gates" for "studies/gates.json". With `changes` (StudyChanges::text()) it
/// is another study: "gates with train.steps=30".
std::string studyKey(const std::string& file, const std::string& changes = "");

/// What a database keeps of the study of this key; nothing while it was not asked there. Throws storage::StorageError.
std::optional<AskedStudy> findAsked(storage::RunQuery& query, const std::string& key);

/// What the database keeps after the study is asked again. `now` is the study as asked this time. A question that differs from
/// `before` is a change if runs of either had ended; its words ("question") do not count. So is the same question where runs
/// that had ended are gone, and where rows of existing runs have more: no plan says when to look at those.
AskedStudy askedAgain(const std::optional<AskedStudy>& before, AskedStudy now);

/// Asks a study now: returns what `database`, which `query` reads, is to keep of it, after what it keeps of an earlier
/// question. `file` is where the study is or will be. Throws as StudyRuns, and storage::StorageError.
PutItem askStudy(const Study& study, const std::string& file, storage::RunQuery& query, const std::string& database);

/// The changes to tell while `now` is asked: without those of runs that were gone and are there again.
std::vector<StudyChange> changesToTell(const AskedStudy& asked, const AskedStudy& now);

/// The values, "valid accuracy, last", that the other studies of the database ask of two or more of the rows of `now`, each
/// once and without its own. `key`: of `now`. Throws storage::StorageError.
std::vector<std::string> otherValuesOf(const AskedStudy& now, const std::string& key, storage::RunQuery& query);

}  // namespace heddle::app
