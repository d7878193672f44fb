// SPDX-License-Identifier: Apache-2.0
#include "app/study/study_changes.h"

#include "app/study/report_checks.h"
#include "engine/analysis/study.h"
#include "engine/base/contains.h"
#include "engine/base/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace heddle::app {

std::string StudyChanges::text() const {
    std::string settings = fmt::format("{}", fmt::join(set, " "));
    if (!dropTuning) return settings;
    return settings.empty() ? "without tuning" : settings + ", without tuning";
}

Json changedStudy(Json document, const StudyChanges& changes, const std::string& file) {
    if (!document.is_object() || changes.empty()) return document;
    if (changes.dropTuning) document.erase("tuning");
    if (changes.set.empty()) return document;
    const std::vector<std::string> tuned = tunedPaths(Study::parse(document, file));
    for (const std::string& assignment : changes.set)
        if (const std::string path = assignment.substr(0, assignment.find('=')); contains(tuned, path))
            throw Error(ErrorCode::Usage, fmt::format("the study tunes {}, so that it has no value of its own", path),
                        "--set " + assignment, "add --drop-tuning, or change \"tuning\" in the file");
    for (Json& row : document.at("rows")) {
        if (row.contains("runs"))
            throw Error(ErrorCode::Usage, "a row has runs that exist, whose settings cannot be changed",
                        fmt::format("{}, row {}", file, row.value("name", "")), "remove --set");
        Json& set = row["set"];
        if (set.is_null()) set = Json::array();
        for (const std::string& assignment : changes.set) set.push_back(assignment);
    }
    return document;
}

}  // namespace heddle::app
