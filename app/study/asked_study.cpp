// SPDX-License-Identifier: Apache-2.0
#include "app/study/asked_study.h"

#include "app/study/study_runs.h"
#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/sha256.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/plan.h"
#include "engine/spec/run_spec.h"
#include "storage/records.h"

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

/// How many ended runs of its rows are trained, and how many existed.
struct EndedRuns {
    std::int64_t trained = 0, existing = 0;
};

/// `otherwise`: how many existed where an earlier version did not record it.
EndedRuns endedIn(const AskedStudy& asked, std::size_t otherwise) {
    const std::size_t existing =
        asked.study.contains("seeds") ? std::min(asked.existing.value_or(otherwise), asked.ended) : asked.ended;
    return {std::int64_t(asked.ended - existing), std::int64_t(existing)};
}

/// How many ended runs are gone (below 0), or how many more there are that no plan asked for.
std::int64_t otherRuns(const EndedRuns& before, const EndedRuns& now, bool trains) {
    const std::int64_t trained = now.trained - before.trained, existing = now.existing - before.existing;
    if (trained < 0 || existing < 0) return std::min<std::int64_t>(trained, 0) + std::min<std::int64_t>(existing, 0);
    const bool wasLookedAt = before.existing > 0 && (!trains || before.trained > 0);
    return wasLookedAt ? existing : 0;
}

/// Returns the keys in which two studies differ, except the question and the folder of the outputs.
std::vector<std::string> differingKeys(const AskedStudy& before, const AskedStudy& now) {
    const bool areRowsSame = haveSameRows(before, now);
    const Json &a = before.study, &b = now.study;
    std::vector<std::string> keys;
    for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)})
        for (const auto& [key, value] : one->items())
            if (key != "question" && key != "outputs" && !(key == "rows" && areRowsSame) &&
                other->value(key, Json()) != value && std::find(keys.begin(), keys.end(), key) == keys.end())
                keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    return keys;
}

}  // namespace

Json AskedStudy::toJson() const {
    Json all = Json::array();
    for (const StudyChange& change : changes)
        all.push_back({{"at", change.at}, {"ended", change.ended}, {"keys", change.keys}, {"runs", change.runs}});
    return {{"study", study},
            {"folder", folder},
            {"asked", asked},
            {"ended", ended},
            {"changes", std::move(all)},
            {"most", std::max(most, ended)},
            {"existing", existing ? Json(*existing) : Json()}};
}

std::optional<AskedStudy> AskedStudy::parse(const Json& body) {
    try {
        AskedStudy asked{body.at("study"), body.at("folder"), body.at("asked"), body.at("ended"), {}};
        if (!asked.study.is_object()) return {};
        for (const Json& change : body.at("changes"))
            asked.changes.push_back(
                {change.at("at"), change.at("ended"), change.at("keys"), change.value("runs", std::int64_t{0})});
        asked.most = body.value("most", asked.ended);
        if (const Json existing = body.value("existing", Json()); !existing.is_null())
            asked.existing = existing.get<std::size_t>();
        return asked;
    } catch (const Json::exception&) {
        return {};
    }
}

std::string studyKey(const std::string& file, const std::string& changes) {
    std::string stem = std::filesystem::path(file).stem().string();
    if (changes.empty()) return stem;
    constexpr std::size_t kReadable = 80, kHash = 12;
    return stem + " with " + (changes.size() <= kReadable ? changes : sha256Hex(changes).substr(0, kHash));
}

std::optional<AskedStudy> findAsked(storage::RunQuery& query, const std::string& key) {
    for (const auto& item : query.items(kStudyItem))
        if (item.key == key && !item.damaged) return AskedStudy::parse(Json::parse(item.body, nullptr, false));
    return {};
}

AskedStudy askedAgain(const std::optional<AskedStudy>& before, AskedStudy now) {
    now.most = std::max(now.most, now.ended);
    if (!before) return now;
    now.changes = before->changes;
    now.most = std::max({now.most, before->most, before->ended});
    if (const auto keys = differingKeys(*before, now); !keys.empty()) {  // whose runs are not those of `before`
        if (now.most > 0) now.changes.push_back({now.asked, now.most, keys});
    } else {
        const EndedRuns own = endedIn(now, 0), earlier = endedIn(*before, std::size_t(own.existing));
        const std::int64_t other = otherRuns(earlier, own, now.study.contains("seeds"));
        if (other != 0 && !isTold(now.changes, before->ended, other))
            now.changes.push_back({now.asked, before->ended, {}, other});
        const std::int64_t existing = std::max(earlier.existing, own.existing);
        now.ended = std::size_t(std::max(earlier.trained, own.trained) + existing);
        now.most = std::max(now.most, now.ended);
        now.existing = std::size_t(existing);
    }
    now.asked = before->asked;
    return now;
}

PutItem askStudy(const Study& study, const std::string& file, storage::RunQuery& query, const std::string& database) {
    StudyRuns runs(study, file, "");
    runs.refresh(query, database);
    const AskedStudy now = runs.askedAt(storage::unixTime());
    return {kStudyItem, runs.key(), askedAgain(findAsked(query, runs.key()), now).toJson()};
}

std::vector<StudyChange> changesToTell(const AskedStudy& asked, const AskedStudy& now) {
    std::vector<StudyChange> all = asked.changes;
    if (!differingKeys(asked, now).empty()) return all;
    // Other runs that exist may be as many as those that are gone; what a study trains is trained again as it was.
    if (endedIn(now, 0).existing > 0) return all;
    const auto isAnother = [](const StudyChange& change) { return !change.keys.empty(); };
    const auto first = std::find_if(all.rbegin(), all.rend(), isAnother).base();  // of this question
    const auto isBack = [&](const StudyChange& change) { return change.runs < 0 && change.ended <= now.ended; };
    all.erase(std::remove_if(first, all.end(), isBack), all.end());
    return all;
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
