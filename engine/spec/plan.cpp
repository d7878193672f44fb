// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/plan.h"

#include "engine/base/error.h"
#include "engine/base/json_member.h"
#include "engine/spec/catalogue.h"

#include <algorithm>
#include <cmath>

namespace heddle {
namespace {

constexpr const char* kPlanSchema = "heddle.plan/1";
constexpr const char* kNext = R"(a plan is {"schema":"heddle.plan/1","rows":[{"name","spec","set":[…],"seeds":[1,2,3]}]})";

PlanRow readRow(const Json& document, const std::string& place) {
    if (!document.is_object() || !document.contains("spec") || !document.at("spec").is_object())
        throwInvalid("\"spec\" is missing", place, kNext);
    PlanRow row;
    row.name = memberOr<std::string>(document, "name", "", "the row", place, kNext);
    row.spec = document.at("spec");
    row.set = memberOr<std::vector<std::string>>(document, "set", {}, "the row", place, kNext);
    const Json seeds = document.value("seeds", Json(row.seeds));
    const auto isSeed = [](const Json& seed) { return seed.is_number_integer() && seed >= 0; };
    if (!seeds.is_array() || seeds.empty() || !std::all_of(seeds.begin(), seeds.end(), isSeed))
        throwInvalid("\"seeds\" must be a list, not empty, of whole numbers of at least 0", place, kNext);
    row.seeds = seeds.get<std::vector<std::uint64_t>>();
    for (auto seed = row.seeds.begin(); seed != row.seeds.end(); ++seed)
        if (std::find(row.seeds.begin(), seed, *seed) != seed)
            throwInvalid("the row lists seed " + std::to_string(*seed) + " twice", place, "list each seed once");
    return row;
}

}  // namespace

Json Plan::toJson() const {
    Json all = Json::array();
    for (const PlanRow& row : rows) {
        Json one{{"name", row.name}, {"spec", row.spec}, {"seeds", row.seeds}};
        if (!row.set.empty()) one["set"] = row.set;
        all.push_back(std::move(one));
    }
    return {{"schema", kPlanSchema}, {"rows", std::move(all)}};
}

Plan Plan::parse(const Json& document, const std::string& where) {
    if (!document.is_object() || document.value("schema", Json()) != kPlanSchema)
        throwInvalid("unsupported plan schema", where, kNext);
    const Json rows = document.value("rows", Json());
    if (!rows.is_array() || rows.empty()) throwInvalid("\"rows\" is missing or empty", where, kNext);
    Plan plan;
    for (const Json& row : rows) plan.rows.push_back(readRow(row, where + ", row " + std::to_string(plan.rows.size() + 1)));
    return plan;
}

Json documentOf(const PlanRow& row) {
    Json document = asRunDocument(row.spec);
    for (const std::string& assignment : row.set) applySet(document, assignment);
    if (!row.name.empty()) document["name"] = row.name;
    document["seed"] = row.seeds.empty() ? 1 : row.seeds.front();
    return document;
}

std::vector<RunSpec> runsOf(const PlanRow& row, const Catalogue& catalogue, const std::string& base) {
    std::vector<RunSpec> runs;
    try {
        Json document = documentOf(row);
        for (const std::uint64_t seed : row.seeds) {
            document["seed"] = seed;
            runs.push_back(RunSpec::parse(document, catalogue, base));
        }
    } catch (const Error& error) {
        throw Error(error.code(), error.problem(), "row \"" + row.name + "\", " + error.where(), error.next());
    }
    return runs;
}

std::uint64_t diskBytes(const RunSpec& run, std::int64_t parameters) {
    constexpr std::uint64_t kBytesAParameter = 3 * sizeof(float);
    const auto kept = static_cast<std::uint64_t>(std::max<std::int64_t>(0, run.train.keepLast)) + 2;
    return kept * kBytesAParameter * static_cast<std::uint64_t>(parameters) +
           static_cast<std::uint64_t>(std::llround(run.record.maxMib * 1024 * 1024));
}

}  // namespace heddle
