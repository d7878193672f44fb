// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/plan.h"

#include "engine/base/error.h"
#include "engine/base/json_member.h"
#include "engine/spec/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace heddle {
namespace {

constexpr const char* kPlanSchema = "heddle.plan/1";
constexpr const char* kNext = R"(a plan is {"schema":"heddle.plan/1","rows":[{"name","spec","set":[…],"seeds":[1,2,3]}]})";

constexpr const char *kFrom = "from", *kFromCheckpoint = "from_checkpoint", *kFromDatabase = "from_database";

bool isStep(std::string_view text) {
    constexpr std::size_t kDigits = 18;  // of a number of 64 bits
    return !text.empty() && text.size() <= kDigits && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<RowStart> readStart(const Json& document, const std::string& place) {
    RowStart start;
    start.row = memberOr<std::string>(document, kFrom, "", "the row", place, kNext);
    start.database = memberOr<std::string>(document, kFromDatabase, "", "the row", place, kNext);
    const Json which = document.value(kFromCheckpoint, Json(start.checkpoint));
    if (which.is_number_integer() && which >= 0)
        start.checkpoint = std::to_string(which.get<std::uint64_t>());
    else
        start.checkpoint = memberOr<std::string>(document, kFromCheckpoint, start.checkpoint, "the row", place, kNext);
    if (start.checkpoint != "best" && start.checkpoint != "last" && !isStep(start.checkpoint))
        throwInvalid(fmt::format("\"{}\" is no checkpoint to start from", start.checkpoint), place,
                     "write \"from_checkpoint\": \"best\" (default), \"last\" or a step");
    if (!start.row.empty()) return start;
    for (const char* key : {kFromCheckpoint, kFromDatabase})
        if (document.contains(key))
            throwInvalid(fmt::format("the row has \"{}\" without \"from\"", key), place,
                         "add \"from\", the name of the row whose runs it starts from");
    return std::nullopt;
}

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
    row.from = readStart(document, place);
    return row;
}

/// The row that another one starts from; null: its start is no row of the plan. Throws for an unknown or ambiguous name.
const PlanRow* startOf(const PlanRow& row, const std::vector<PlanRow>& rows, const std::string& where) {
    if (!row.from || !row.from->database.empty()) return nullptr;
    const PlanRow* found = nullptr;
    for (const PlanRow& one : rows) {
        if (one.name != row.from->row) continue;
        if (found)
            throwInvalid(fmt::format("two rows have the name \"{}\", from which \"{}\" starts", one.name, row.name), where,
                         "give one of them another name");
        found = &one;
    }
    if (found) return found;
    std::vector<std::string> names;
    for (const PlanRow& one : rows) names.push_back(one.name);
    throwInvalid(fmt::format("\"{}\" starts from the row \"{}\", and there is none", row.name, row.from->row), where,
                 fmt::format("the rows are: {}", fmt::join(names, ", ")));
}

}  // namespace

Json Plan::toJson() const {
    Json all = Json::array();
    for (const PlanRow& row : rows) {
        Json one{{"name", row.name}, {"spec", row.spec}, {"seeds", row.seeds}};
        if (!row.set.empty()) one["set"] = row.set;
        if (row.from) {
            one[kFrom] = row.from->row;
            one[kFromCheckpoint] = row.from->checkpoint;
            if (!row.from->database.empty()) one[kFromDatabase] = row.from->database;
        }
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

void requireStarts(const std::vector<PlanRow>& rows, const std::string& where) {
    for (const PlanRow& row : rows) {
        const PlanRow* start = startOf(row, rows, where);
        if (!start) continue;
        for (const std::uint64_t seed : row.seeds)
            if (std::find(start->seeds.begin(), start->seeds.end(), seed) == start->seeds.end())
                throwInvalid(
                    fmt::format("\"{}\" has seed {}, and \"{}\", from which it starts, does not", row.name, seed, start->name),
                    where, "each run starts from the run of its own seed: give the other row this seed, too");
        std::string circle = row.name + " from " + start->name;
        for (std::size_t i = 0; i < rows.size() && start && start != &row; ++i)
            if ((start = startOf(*start, rows, where)) != nullptr) circle += " from " + start->name;
        if (start == &row)
            throwInvalid("rows start from each other in a circle: " + circle, where, "let one of them start without another");
    }
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
        if (row.from && !runs.empty() && !runs.front().train.start.checkpoint.empty())
            throwInvalid("the row has \"from\", and its spec names a checkpoint to start from, too", "train.start.checkpoint",
                         "remove one of them");
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
