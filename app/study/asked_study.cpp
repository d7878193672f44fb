// SPDX-License-Identifier: Apache-2.0
#include "app/study/asked_study.h"

#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/plan.h"
#include "engine/spec/run_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <utility>

namespace heddle::app {
namespace {

/// What a row trains on whatever device, with its settings in its spec and absolute paths; a row that trains nothing as it is.
Json workOf(const Json& row, const std::string& folder) {
    try {
        PlanRow plan{row.at("name"), row.at("spec"), {}};
        if (row.contains("set")) plan.set = row.at("set").get<std::vector<std::string>>();
        RunSpec spec = RunSpec::parse(documentOf(plan), builtinCatalogue(), folder);
        spec.train.device = RunSpec().train.device;
        Json work = spec.toJson();
        for (const char* label : {"name", "seed"}) work.erase(label);
        return {{"name", plan.name}, {"spec", std::move(work)}};
    } catch (const Json::exception&) {  // of runs that exist
        return row;
    } catch (const Error&) {  // of another version of the program
        return row;
    }
}

/// Whether two studies have the same rows, as they are written or by what they train.
bool haveSameRows(const AskedStudy& a, const AskedStudy& b) {
    const Json before = a.study.value("rows", Json()), now = b.study.value("rows", Json());
    if (before == now) return true;
    return before.is_array() && now.is_array() &&
           std::equal(before.begin(), before.end(), now.begin(), now.end(), [&](const Json& one, const Json& other) {
               return one == other || workOf(one, a.folder) == workOf(other, b.folder);
           });
}

/// What the rows of a study train, or which runs they are, whatever they are called.
std::vector<std::string> worksOf(const AskedStudy& asked) {
    std::vector<std::string> works;
    for (const Json& row : asked.study.value("rows", Json::array())) {
        Json work = workOf(row, asked.folder);
        work.erase("name");
        works.push_back(canonicalJson(work));
    }
    return works;
}

/// Whether a look at other runs is among the changes.
bool isTold(const std::vector<StudyChange>& changes, std::size_t ended, std::int64_t runs) {
    return std::any_of(changes.begin(), changes.end(),
                       [&](const StudyChange& one) { return one.ended == ended && one.runs == runs; });
}

/// The keys in which two studies differ, "question" aside.
std::vector<std::string> differingKeys(const AskedStudy& before, const AskedStudy& now) {
    const bool areRowsSame = haveSameRows(before, now);
    const Json &a = before.study, &b = now.study;
    std::vector<std::string> keys;
    for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)})
        for (const auto& [key, value] : one->items())
            if (key != "question" && !(key == "rows" && areRowsSame) && other->value(key, Json()) != value &&
                std::find(keys.begin(), keys.end(), key) == keys.end())
                keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    return keys;
}

}  // namespace

Json AskedStudy::toJson() const {
    Json all = Json::array();
    for (const StudyChange& change : changes)
        all.push_back({{"at", change.at}, {"ended", change.ended}, {"keys", change.keys}, {"runs", change.runs}});
    return {{"study", study}, {"folder", folder}, {"asked", asked}, {"ended", ended}, {"changes", std::move(all)}};
}

std::optional<AskedStudy> AskedStudy::parse(const Json& body) {
    try {
        AskedStudy asked{body.at("study"), body.at("folder"), body.at("asked"), body.at("ended"), {}};
        if (!asked.study.is_object()) return {};
        for (const Json& change : body.at("changes"))
            asked.changes.push_back(
                {change.at("at"), change.at("ended"), change.at("keys"), change.value("runs", std::int64_t{0})});
        return asked;
    } catch (const Json::exception&) {
        return {};
    }
}

std::string studyKey(const std::string& file) { return std::filesystem::path(file).stem().string(); }

std::optional<AskedStudy> findAsked(storage::RunQuery& query, const std::string& key) {
    for (const auto& item : query.items(kStudyItem))
        if (item.key == key && !item.damaged) return AskedStudy::parse(Json::parse(item.body, nullptr, false));
    return {};
}

AskedStudy askedAgain(const std::optional<AskedStudy>& before, AskedStudy now) {
    if (!before) return now;
    const auto keys = differingKeys(*before, now);
    const std::int64_t more = std::int64_t(now.ended) - std::int64_t(before->ended);
    const bool isOtherRuns = before->ended > 0 && (more < 0 || (more > 0 && !now.study.contains("seeds")));
    now.changes = before->changes;
    now.ended = std::max(before->ended, now.ended);
    if (!keys.empty() && now.ended > 0)
        now.changes.push_back({now.asked, now.ended, keys});
    else if (keys.empty() && isOtherRuns && !isTold(now.changes, before->ended, more))
        now.changes.push_back({now.asked, before->ended, {}, more});
    now.asked = before->asked;
    return now;
}

std::vector<std::string> otherValuesOf(const AskedStudy& now, const std::string& key, storage::RunQuery& query) {
    const auto valueIn = [](const Json& study) {
        const StudyMetric metric = Study::parse(study, kStudyItem).metric;
        return fmt::format("{} {}, {}", metric.split, metric.name, metric.rule.text());
    };
    const std::string own = valueIn(now.study);
    const std::vector<std::string> works = worksOf(now);
    std::vector<std::string> values;
    for (const auto& item : query.items(kStudyItem)) {
        const auto asked =
            item.key == key || item.damaged ? std::nullopt : AskedStudy::parse(Json::parse(item.body, nullptr, false));
        if (!asked) continue;
        try {
            const std::string value = valueIn(asked->study);
            if (value == own || contains(values, value)) continue;
            const std::vector<std::string> others = worksOf(*asked);
            if (std::count_if(others.begin(), others.end(), [&](const auto& work) { return contains(works, work); }) >= 2)
                values.push_back(value);
        } catch (const Error&) {  // of another version of the program
        }
    }
    return values;
}

}  // namespace heddle::app
