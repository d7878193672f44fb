// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/study.h"
#include "engine/analysis/study_json.h"
#include "engine/base/check.h"
#include "engine/base/contains.h"
#include "engine/base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace heddle {
namespace {

using study_json::choice;
using study_json::kNext;
using study_json::member;
using study_json::requireKeys;

constexpr const char* kStudySchema = "heddle.study/1";

double share(const Json& document, const char* key, const std::string& where, double otherwise) {
    const auto value = member<double>(document, key, where, otherwise);
    if (!(value > 0 && value < 1)) throwInvalid(fmt::format("\"{}\" must be between 0 and 1", key), where, kNext);
    return value;
}

std::variant<std::vector<std::uint64_t>, Looks> readSeeds(const Json& document, const std::string& where) {
    const auto refuse = [&](const std::string& problem) {
        throwInvalid(problem, where,
                     R"("seeds" is a list such as [1,2,3,4,5,6], or {"first":3,"last":12} for "until decided")");
    };
    if (document.is_object()) {
        requireKeys(document, "\"seeds\"", {"first", "last"}, where);
        for (const auto& [key, value] : document.items())
            if (!value.is_number_unsigned()) refuse("looks must be whole numbers");
        const Looks looks{member<std::size_t>(document, "first", where, 3), member<std::size_t>(document, "last", where, 12)};
        if (looks.first < 2 || looks.last < looks.first || looks.last > kMostSeeds)
            refuse(fmt::format("looks need 2 ≤ first ≤ last ≤ {}", kMostSeeds));
        return looks;
    }
    std::vector<std::uint64_t> seeds;
    if (!document.is_array()) refuse("\"seeds\" is missing");
    for (const Json& seed : document) {
        if (!seed.is_number_integer() || seed < 0) refuse("a seed must be a whole number of at least 0");
        seeds.push_back(seed.get<std::uint64_t>());
    }
    if (std::set(seeds.begin(), seeds.end()).size() != seeds.size()) refuse("a seed is listed twice");
    if (seeds.size() < 2 || seeds.size() > kMostSeeds) refuse(fmt::format("a study needs 2 to {} seeds", kMostSeeds));
    return seeds;
}

const std::vector<std::pair<std::string, ControlMatch>> kMatches{
    {"parameters", ControlMatch::Parameters}, {"flops", ControlMatch::Flops}, {"time", ControlMatch::Time}};

const std::vector<std::pair<std::string, Verdict>> kClaims{
    {"better", Verdict::Better}, {"worse", Verdict::Worse}, {"equivalent", Verdict::Equivalent}};

/// Whether a step takes the same time for every value of this setting. (Without clipping it is hardly shorter.)
bool keepsTheStep(const std::string& path) {
    static const std::vector<std::string> kPaths{"train.lr",
                                                 "train.clip",
                                                 "train.label_smoothing",
                                                 "train.optimizer.eps",
                                                 "train.optimizer.weight_decay",
                                                 "train.schedule.warmup",
                                                 "train.schedule.factor",
                                                 "train.schedule.steps",
                                                 "train.schedule.end",
                                                 "train.schedule.plateau_factor",
                                                 "train.schedule.plateau_patience",
                                                 "train.start.layer_decay"};
    return contains(kPaths, path);
}

/// Refuses what asks all rows for the same number of steps beside a control that has another one.
void requireTimed(const Study& study, const std::string& where) {
    const std::string what = "\"controls\": a control matched in time has another number of steps than the other rows, and ";
    const auto isAtStep = [](const StudyMetric& metric) { return metric.rule.kind == ValueRule::Kind::AtStep; };
    if (isAtStep(study.metric) || (study.tuning && isAtStep(study.tuning->metric)))
        throwInvalid(what + "a value at a fixed step is not that of the end of its run", where, R"(write "value": "last")");
    if (!study.tuning) return;
    if (study.tuning->kind == Tuning::Kind::Halving)
        throwInvalid(what + "halving trains all rows for the same, so that its trials would be the baseline's", where,
                     R"(tune otherwise: {"path": "train.lr", "around": 0.001})");
    std::set<std::string> paths;
    if (study.tuning->kind == Tuning::Kind::Grid) paths.insert(study.tuning->path);
    for (const TuningRange& range : study.tuning->ranges) paths.insert(range.path);
    for (const std::string& path : paths) {
        const bool isLength = path == "train.steps" || path == "train.epochs";
        if (isLength) throwInvalid(what + path + " is tuned", where, "tune another setting, or remove the control");
        if (!keepsTheStep(path))
            throwInvalid("\"controls\": a control matched in time takes the step time of a first run, and " + path +
                             ", which is tuned, may change what a step takes",
                         where, "tune another setting, such as train.lr, or remove the control");
    }
}

/// Refuses a control that cannot be made.
void requireControls(const Study& study, const std::string& where) {
    for (const StudyControl& control : study.controls) {
        const auto row =
            std::find_if(study.rows.begin(), study.rows.end(), [&](const PlanRow& one) { return one.name == control.of; });
        if (row == study.rows.end() || control.of == study.baseline || study.controlOf(control.of))
            throwInvalid("\"controls\": \"" + control.of + "\" is not a variant of the study", where,
                         "set \"of\" to a row other than the baseline");
        for (const std::string& name : {control.of, study.baseline})
            if (study.exists(name))
                throwInvalid("\"controls\": the size of \"" + name + "\" is unknown because it has no \"spec\"", where,
                             "remove the control, or give the row a \"spec\"");
        if (std::count(study.controls.begin(), study.controls.end(), control) > 1)
            throwInvalid("\"controls\": the same control of \"" + control.of + "\" is listed twice", where,
                         "remove one of them");
        if (control.match == ControlMatch::Time) requireTimed(study, where);
    }
}

void requireRows(const Study& study, const std::string& where) {
    std::set<std::string> names;
    for (const PlanRow& row : study.rows)
        if (row.name.empty() || !names.insert(row.name).second)
            throwInvalid("row names must be unique", where, "row \"" + row.name + "\": rename it");
    if (!names.contains(study.baseline))
        throwInvalid("the baseline \"" + study.baseline + "\" is not a row of the study", where,
                     "give the name of one of its rows");
    if (study.rows.size() < 2) throwInvalid("a study needs at least two rows", where, "add a row");
    if (study.claim && (!names.contains(study.claim->variant) || study.claim->variant == study.baseline))
        throwInvalid("the claim is about \"" + study.claim->variant + "\", which is not a variant of the study", where,
                     "give the name of a row other than the baseline");
    if (study.claim && study.claim->verdict == Verdict::Equivalent && !study.margin)
        throwInvalid("a claim of equivalence needs a margin chosen in advance", where,
                     "add \"margin\", in units of the metric");
}

std::vector<StudyControl> readControls(const Json& document, const std::string& where) {
    constexpr const char* kShape = R"(write "controls": [{"of": "gated", "match": "parameters"}])";
    std::vector<StudyControl> controls;
    if (!document.is_array()) throwInvalid("\"controls\" must be a list", where, kShape);
    for (const Json& one : document) {
        if (!one.is_object() || !one.contains("of")) throwInvalid("a control needs \"of\", the name of a row", where, kShape);
        requireKeys(one, "a control", {"of", "match"}, where);
        controls.push_back({member<std::string>(one, "of", where, ""),
                            choice<ControlMatch>(one, "match", where, ControlMatch::Parameters, kMatches)});
    }
    return controls;
}

ExistingRuns readExisting(const Json& document, const std::string& where) {
    constexpr const char* kShape = R"(write "runs": {"group": "…"}, {"tag": "…"} or {"ids": ["…"]})";
    if (!document.is_object() || document.size() != 1) throwInvalid("\"runs\" must select runs in one way only", where, kShape);
    requireKeys(document, "\"runs\"", {"group", "tag", "ids"}, where);
    ExistingRuns runs;
    if (document.contains("ids")) {
        runs = {ExistingRuns::By::Ids, member<std::vector<std::string>>(document, "ids", where, {})};
    } else {
        const bool isTag = document.contains("tag");
        runs = {isTag ? ExistingRuns::By::Tag : ExistingRuns::By::Group,
                {member<std::string>(document, isTag ? "tag" : "group", where, "")}};
    }
    if (runs.names.empty() || runs.names.front().empty()) throwInvalid("\"runs\" selects no runs", where, kShape);
    return runs;
}

Json existingDocument(const ExistingRuns& runs) {
    if (runs.by == ExistingRuns::By::Ids) return {{"ids", runs.names}};
    return {{runs.by == ExistingRuns::By::Tag ? "tag" : "group", runs.names.front()}};
}

/// Reads the rows, those of existing runs and those of the controls.
void readRows(const Json& document, Study& study, const std::string& where) {
    Json rows = document.value("rows", Json());
    std::set<std::size_t> without;
    for (std::size_t i = 0; rows.is_array() && i < rows.size(); ++i) {
        Json& row = rows[i];
        const std::string place = fmt::format("{}, row {}", where, i + 1);
        if (row.is_object() && row.contains("from"))
            throwInvalid("a row of a study cannot start from another row", place,
                         "train both rows with heddle sweep, and compare the later ones with \"runs\": {\"group\": …}");
        if (!row.is_object() || !row.contains("runs")) continue;
        for (const char* key : {"spec", "set"})
            if (row.contains(key))
                throwInvalid(fmt::format("a row cannot have both \"runs\" and \"{}\"", key), place,
                             "use \"runs\" for runs that exist, \"spec\" for runs to be trained");
        study.existing[member<std::string>(row, "name", place, "")] = readExisting(row.at("runs"), place);
        row["spec"] = Json::object();  // a plan's row needs one
        without.insert(i);
    }
    study.rows = Plan::parse({{"schema", "heddle.plan/1"}, {"rows", rows}}, where).rows;
    for (const Json& row : rows) requireKeys(row, "a row of a study", {"name", "spec", "set", "runs"}, where);
    for (const std::size_t row : without) study.rows[row].spec = Json();
    study.baseline = member<std::string>(document, "baseline", where, study.rows.front().name);
    study.controls = readControls(document.value("controls", Json::array()), where);
    for (const StudyControl& control : study.controls) study.rows.push_back({study.rowOf(control), Json()});
}

/// The seeds of a study that trains, and of one that does not.
void readSeedsOf(const Json& document, Study& study, const std::string& where) {
    const bool trains = study.existing.size() < study.rows.size(), isGiven = document.contains("seeds");
    if (!trains && isGiven)
        throwInvalid("\"seeds\" cannot be given if every row uses existing runs", where,
                     "remove \"seeds\"; the seeds of the runs are used");
    if (!trains) {
        study.seeds = std::vector<std::uint64_t>();
        return;
    }
    study.seeds = readSeeds(document.value("seeds", Json::object()), where);
    if (!study.existing.empty() && std::holds_alternative<Looks>(study.seeds))
        throwInvalid(
            "a sequential study cannot have rows of existing runs, because every look needs the same number of seeds in each "
            "row",
            where, "give \"seeds\" as a list, such as [1,2,3,4,5,6]");
}

}  // namespace

std::string nameOf(ControlMatch match) {
    const auto found = std::find_if(kMatches.begin(), kMatches.end(), [match](const auto& one) { return one.second == match; });
    HEDDLE_CHECK(found != kMatches.end());
    return found->first;
}

std::string Study::rowOf(const StudyControl& control) const {
    const char* const quantity = control.match == ControlMatch::Flops  ? " in FLOPs"
                                 : control.match == ControlMatch::Time ? " in time"
                                                                       : "";
    return baseline + " matched to " + control.of + quantity;
}

const StudyControl* Study::controlOf(const std::string& row) const {
    const auto found =
        std::find_if(controls.begin(), controls.end(), [&](const StudyControl& one) { return rowOf(one) == row; });
    return found == controls.end() ? nullptr : &*found;
}

Json Study::toJson() const {
    Json all = Json::array();
    for (std::size_t i = 0; i < rows.size() - controls.size(); ++i) {
        const PlanRow& row = rows[i];
        all.push_back({{"name", row.name}});
        if (const auto runs = existing.find(row.name); runs != existing.end())
            all.back()["runs"] = existingDocument(runs->second);
        else
            all.back()["spec"] = row.spec;
        if (!row.set.empty()) all.back()["set"] = row.set;
    }
    Json document{{"schema", kStudySchema},
                  {"question", question},
                  {"rows", std::move(all)},
                  {"baseline", baseline},
                  {"metric", study_json::metricDocument(metric)},
                  {"test", test == SeedTest::Paired ? "paired" : "welch"},
                  {"alpha", alpha},
                  {"power", power},
                  {"family", holm ? "holm" : "none"}};
    if (const auto* looks = std::get_if<Looks>(&seeds))
        document["seeds"] = {{"first", looks->first}, {"last", looks->last}};
    else if (existing.size() < rows.size())
        document["seeds"] = std::get<0>(seeds);
    for (const StudyControl& control : controls)
        document["controls"].push_back({{"of", control.of}, {"match", nameOf(control.match)}});
    if (tuning) document["tuning"] = tuning->toJson(metric);
    if (margin) document["margin"] = *margin;
    if (claim) document["claim"] = {{"row", claim->variant}, {"verdict", nameOf(claim->verdict)}};
    if (!outputs.empty()) document["outputs"] = outputs;
    return document;
}

Study Study::parse(const Json& document, const std::string& where) {
    if (!document.is_object() || document.value("schema", Json()) != kStudySchema)
        throwInvalid("unsupported study schema", where, kNext);
    Study study;
    requireKeys(document, "a study",
                {"schema", "question", "rows", "controls", "baseline", "metric", "test", "alpha", "power", "family", "margin",
                 "seeds", "tuning", "claim", "outputs"},
                where);
    study.question = member<std::string>(document, "question", where, "");
    readRows(document, study, where);
    study.metric = study_json::readMetric(document.value("metric", Json::object()), where);
    // Whether runs that exist are pairs is what the study declares, or they are not.
    study.test = choice<SeedTest>(document, "test", where, study.existing.empty() ? SeedTest::Paired : SeedTest::Welch,
                                  {{"paired", SeedTest::Paired}, {"welch", SeedTest::Welch}});
    study.alpha = share(document, "alpha", where, study.alpha);
    study.power = share(document, "power", where, study.power);
    if (study.power <= study.alpha) throwInvalid("\"power\" must be above \"alpha\"", where, "usual values are 0.8 and 0.05");
    study.holm = choice<bool>(document, "family", where, true, {{"holm", true}, {"none", false}});
    if (document.contains("margin")) {
        study.margin = member<double>(document, "margin", where, 0);
        if (!(*study.margin > 0)) throwInvalid("\"margin\" must be above 0", where, "give it in units of the metric");
    }
    readSeedsOf(document, study, where);
    if (document.contains("tuning")) {
        if (study.existing.size() == study.rows.size())
            throwInvalid("\"tuning\" cannot be used if every row uses existing runs", where, "leave it out");
        study.tuning = Tuning::parse(document.at("tuning"), study.metric, study.allSeeds(), where);
    }
    if (const Json claim = document.value("claim", Json()); !claim.is_null()) {
        if (claim.is_object()) requireKeys(claim, "\"claim\"", {"row", "verdict"}, where);
        if (!claim.is_object()) throwInvalid("\"claim\" must be an object", where, R"({"row":"gated","verdict":"better"})");
        study.claim = Claim{member<std::string>(claim, "row", where, ""),
                            choice<Verdict>(claim, "verdict", where, Verdict::Better, kClaims)};
    }
    study.outputs = member<std::string>(document, "outputs", where, "");
    requireControls(study, where);
    requireRows(study, where);
    return study;
}

}  // namespace heddle
