// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/study.h"

#include "engine/analysis/metric_summary.h"
#include "engine/analysis/paired_difference.h"
#include "engine/base/error.h"
#include "engine/base/json_member.h"
#include "engine/metrics/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

namespace heddle {
namespace {

constexpr const char* kSchema = "heddle.study/1";
constexpr const char* kNext = "heddle study --help shows a whole study";
constexpr std::size_t kMostSeeds = 200;

constexpr std::string_view kStep = "step ", kMeanOfLast = "mean of last ";

/// The positive number behind `words`; 0 if `text` is something else.
std::int64_t numberAfter(std::string_view words, std::string_view text) {
    if (!text.starts_with(words)) return 0;
    text.remove_prefix(words.size());
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc() && end == text.data() + text.size() ? std::max<std::int64_t>(number, 0) : 0;
}

template <class T>
T member(const Json& document, const char* key, const std::string& where, T otherwise) {
    return memberOr<T>(document, key, std::move(otherwise), "the study", where, kNext);
}

/// A word of the study that is one of a few.
template <class T>
T choice(const Json& document, const char* key, const std::string& where, T otherwise,
         const std::vector<std::pair<std::string, T>>& words) {
    const auto found = document.find(key);
    if (found == document.end()) return otherwise;
    std::string all;
    for (const auto& [word, meant] : words) {
        if (*found == word) return meant;
        all += (all.empty() ? "" : ", ") + word;
    }
    throwInvalid(fmt::format("\"{}\" cannot be {}", key, found->dump()), where, "it is one of: " + all);
}

/// Refuses what nobody reads: a misspelt key would be taken for its default.
void requireKeys(const Json& document, const std::string& what, const std::set<std::string>& known, const std::string& where) {
    for (const auto& [key, value] : document.items())
        if (!known.contains(key))
            throwInvalid(fmt::format("{} has no key \"{}\"", what, key), where,
                         fmt::format("it has: {}", fmt::join(known, ", ")));
}

double share(const Json& document, const char* key, const std::string& where, double otherwise) {
    const auto value = member<double>(document, key, where, otherwise);
    if (!(value > 0 && value < 1)) throwInvalid(fmt::format("\"{}\" must be between 0 and 1", key), where, kNext);
    return value;
}

StudyMetric readMetric(const Json& document, const std::string& where) {
    StudyMetric metric;
    if (!document.is_object())
        throwInvalid("\"metric\" must be an object", where, R"({"split":"valid","name":"loss","value":"last"})");
    requireKeys(document, "\"metric\"", {"split", "name", "value", "better"}, where);
    metric.split = member<std::string>(document, "split", where, metric.split);
    metric.name = member<std::string>(document, "name", where, metric.name);
    metric.rule = ValueRule::parse(member<std::string>(document, "value", where, "last"), where);
    if (!findMetric(metric.name) && !document.contains("better"))
        throwInvalid(fmt::format("no metric is called \"{}\"", metric.name), where,
                     "correct the name, or say with \"better\": \"lower\" or \"higher\" which of its values are better");
    metric.lowerIsBetter =
        choice<bool>(document, "better", where, lowerIsBetter(metric.name), {{"lower", true}, {"higher", false}});
    return metric;
}

std::variant<std::vector<std::uint64_t>, Looks> readSeeds(const Json& document, const std::string& where) {
    const auto refuse = [&](const std::string& problem) {
        throwInvalid(problem, where,
                     R"("seeds" is a list such as [1,2,3,4,5,6], or {"first":3,"last":12} for "until decided")");
    };
    if (document.is_object()) {
        requireKeys(document, "\"seeds\"", {"first", "last"}, where);
        for (const auto& [key, value] : document.items())
            if (!value.is_number_unsigned()) refuse("looks are whole numbers");
        const Looks looks{member<std::size_t>(document, "first", where, 3), member<std::size_t>(document, "last", where, 12)};
        if (looks.first < 2 || looks.last < looks.first || looks.last > kMostSeeds)
            refuse(fmt::format("looks need 2 ≤ first ≤ last ≤ {}", kMostSeeds));
        return looks;
    }
    std::vector<std::uint64_t> seeds;
    if (!document.is_array()) refuse("the study needs seeds");
    for (const Json& seed : document) {
        if (!seed.is_number_integer() || seed < 0) refuse("a seed is a whole number from 0 on");
        seeds.push_back(seed.get<std::uint64_t>());
    }
    if (std::set(seeds.begin(), seeds.end()).size() != seeds.size()) refuse("a seed is named twice");
    if (seeds.size() < 2 || seeds.size() > kMostSeeds) refuse(fmt::format("a study has 2 to {} seeds", kMostSeeds));
    return seeds;
}

const std::vector<std::pair<std::string, Verdict>> kClaims{
    {"better", Verdict::Better}, {"worse", Verdict::Worse}, {"equivalent", Verdict::Equivalent}};

void requireRows(const Study& study, const std::string& where) {
    std::set<std::string> names;
    for (const PlanRow& row : study.rows)
        if (row.name.empty() || !names.insert(row.name).second)
            throwInvalid("every row of a study needs a name of its own", where, "row \"" + row.name + "\": name it otherwise");
    if (!names.contains(study.baseline))
        throwInvalid("the baseline \"" + study.baseline + "\" is no row of the study", where, "name one of its rows");
    if (study.rows.size() < 2) throwInvalid("a study compares two rows at least", where, "add a variant");
    if (study.claim && (!names.contains(study.claim->variant) || study.claim->variant == study.baseline))
        throwInvalid("the claim is about \"" + study.claim->variant + "\", which is no variant of the study", where,
                     "name a row other than the baseline");
    if (study.claim && study.claim->verdict == Verdict::Equivalent && !study.margin)
        throwInvalid("equivalence needs a margin that is named beforehand", where, "add \"margin\", in units of the metric");
}

/// The values of the first `count` of `seeds`.
SeedValues firstOf(const SeedValues& values, const std::vector<std::uint64_t>& seeds, std::size_t count) {
    SeedValues kept;
    for (std::size_t i = 0; i < std::min(count, seeds.size()); ++i)
        if (const auto found = values.find(seeds[i]); found != values.end()) kept.insert(*found);
    return kept;
}

/// How many of `seeds`, from the first on, both rows have a value or a reason for having none.
std::size_t seedsOfBoth(const StudyValues& variant, const StudyValues& baseline, const std::vector<std::uint64_t>& seeds) {
    const auto has = [](const StudyValues& row, std::uint64_t seed) {
        return row.values.contains(seed) ||
               std::any_of(row.leftOut.begin(), row.leftOut.end(), [seed](const auto& run) { return run.seed == seed; });
    };
    const auto missing = std::find_if(seeds.begin(), seeds.end(),
                                      [&](std::uint64_t seed) { return !has(variant, seed) || !has(baseline, seed); });
    return std::size_t(missing - seeds.begin());
}

}  // namespace

std::string ValueRule::text() const {
    switch (kind) {
    case Kind::Best: return "best";
    case Kind::Last: return "last";
    case Kind::AtStep: return std::string(kStep) + std::to_string(number);
    case Kind::MeanOfLast: break;
    }
    return std::string(kMeanOfLast) + std::to_string(number);
}

ValueRule ValueRule::parse(const std::string& text, const std::string& where) {
    if (text == "best") return {Kind::Best, 0};
    if (text == "last") return {Kind::Last, 0};
    if (const auto step = numberAfter(kStep, text); step > 0) return {Kind::AtStep, step};
    if (const auto count = numberAfter(kMeanOfLast, text); count > 0) return {Kind::MeanOfLast, count};
    throwInvalid("the value \"" + text + "\" is no rule", where, "it is one of: best, last, step 4000, mean of last 3");
}

std::optional<double> valueBy(const ValueRule& rule, const std::vector<Evaluated>& all, bool lowerIsBetter) {
    if (all.empty()) return {};
    switch (rule.kind) {
    case ValueRule::Kind::Last: return all.back().value;
    case ValueRule::Kind::Best:
        return std::min_element(all.begin(), all.end(),
                                [lowerIsBetter](const Evaluated& a, const Evaluated& b) {
                                    return lowerIsBetter ? a.value < b.value : a.value > b.value;
                                })
            ->value;
    case ValueRule::Kind::AtStep: {
        const auto found = std::find_if(all.begin(), all.end(), [&](const Evaluated& one) { return one.step == rule.number; });
        return found == all.end() ? std::nullopt : std::optional(found->value);
    }
    case ValueRule::Kind::MeanOfLast: break;
    }
    if (std::ssize(all) < rule.number) return {};
    return std::accumulate(all.end() - rule.number, all.end(), 0.0,
                           [](double sum, const Evaluated& one) { return sum + one.value; }) /
           double(rule.number);
}

Json Study::toJson() const {
    Json all = Json::array();
    for (const PlanRow& row : rows) {
        all.push_back({{"name", row.name}, {"spec", row.spec}});
        if (!row.set.empty()) all.back()["set"] = row.set;
    }
    Json document{{"schema", kSchema},
                  {"question", question},
                  {"rows", std::move(all)},
                  {"baseline", baseline},
                  {"metric",
                   {{"split", metric.split},
                    {"name", metric.name},
                    {"value", metric.rule.text()},
                    {"better", metric.lowerIsBetter ? "lower" : "higher"}}},
                  {"test", test == SeedTest::Paired ? "paired" : "welch"},
                  {"alpha", alpha},
                  {"power", power},
                  {"family", holm ? "holm" : "none"}};
    if (const auto* looks = std::get_if<Looks>(&seeds))
        document["seeds"] = {{"first", looks->first}, {"last", looks->last}};
    else
        document["seeds"] = std::get<0>(seeds);
    if (margin) document["margin"] = *margin;
    if (claim) document["claim"] = {{"row", claim->variant}, {"verdict", nameOf(claim->verdict)}};
    return document;
}

Study Study::parse(const Json& document, const std::string& where) {
    if (!document.is_object() || document.value("schema", Json()) != kSchema)
        throwInvalid("this is no study of this version", where, kNext);
    Study study;
    requireKeys(
        document, "a study",
        {"schema", "question", "rows", "baseline", "metric", "test", "alpha", "power", "family", "margin", "seeds", "claim"},
        where);
    study.question = member<std::string>(document, "question", where, "");
    const Json rows = document.value("rows", Json());
    study.rows = Plan::parse({{"schema", "heddle.plan/1"}, {"rows", rows}}, where).rows;
    for (const Json& row : rows) requireKeys(row, "a row of a study", {"name", "spec", "set"}, where);
    study.baseline = member<std::string>(document, "baseline", where, study.rows.front().name);
    study.metric = readMetric(document.value("metric", Json::object()), where);
    study.test =
        choice<SeedTest>(document, "test", where, study.test, {{"paired", SeedTest::Paired}, {"welch", SeedTest::Welch}});
    study.alpha = share(document, "alpha", where, study.alpha);
    study.power = share(document, "power", where, study.power);
    if (study.power <= study.alpha) throwInvalid("\"power\" must be above \"alpha\"", where, "0.8 and 0.05 are usual");
    study.holm = choice<bool>(document, "family", where, true, {{"holm", true}, {"none", false}});
    if (document.contains("margin")) {
        study.margin = member<double>(document, "margin", where, 0);
        if (!(*study.margin > 0)) throwInvalid("\"margin\" must be above 0", where, "it is in units of the metric");
    }
    study.seeds = readSeeds(document.value("seeds", Json::object()), where);
    if (const Json claim = document.value("claim", Json()); !claim.is_null()) {
        if (claim.is_object()) requireKeys(claim, "\"claim\"", {"row", "verdict"}, where);
        if (!claim.is_object()) throwInvalid("\"claim\" must be an object", where, R"({"row":"gated","verdict":"better"})");
        study.claim = Claim{member<std::string>(claim, "row", where, ""),
                            choice<Verdict>(claim, "verdict", where, Verdict::Better, kClaims)};
    }
    requireRows(study, where);
    return study;
}

std::vector<std::uint64_t> Study::allSeeds() const {
    if (const auto* fixed = std::get_if<0>(&seeds)) return *fixed;
    std::vector<std::uint64_t> all(std::get<Looks>(seeds).last);
    std::iota(all.begin(), all.end(), 1);
    return all;
}

double Study::level() const {
    const auto* looks = std::get_if<Looks>(&seeds);
    return looks ? family() * levelOfLooks(test, *looks, alpha / family()) : alpha;
}

namespace {

/// What the verdicts of the rows are made of.
struct Comparison {
    const Study& study;
    const std::vector<std::uint64_t>& seeds;
    double level, family;
    const Looks* looks;

    RowVerdict of(const std::string& name, const StudyValues& own, const StudyValues& baseline) const {
        RowVerdict row;
        row.name = name;
        row.leftOut = own.leftOut;
        row.seen = seedsOfBoth(own, baseline, seeds);
        row.isLookedAt = row.seen >= (looks ? looks->first : seeds.size());  // earlier it would be peeking
        row.difference = seedDifference(firstOf(own.values, seeds, row.seen), firstOf(baseline.values, seeds, row.seen),
                                        study.test, level / family);
        if (study.margin) row.equivalenceP = equivalence(row.difference, *study.margin);
        return row;
    }

    bool isHopeless(const RowVerdict& row) const {
        if (!looks || !study.margin || !row.difference.p) return false;
        const double one = level / family;
        return conditionalPower(row.difference, *looks, *study.margin, one).value_or(1) < kHopeless &&
               conditionalEquivalence(row.difference, *looks, *study.margin, one).value_or(1) < kHopeless;
    }

    /// Of a row whose p values are corrected.
    void decide(RowVerdict& row) const {
        if (row.isLookedAt && row.correctedP)
            row.verdict = verdictOf(row.difference, *row.correctedP, row.equivalenceP, study.metric.lowerIsBetter, level);
        if (row.verdict != Verdict::NotShown)
            row.decision = Decision::Shown;
        else if (row.seen == seeds.size() || (row.isLookedAt && row.difference.areAllEqual))
            row.decision = Decision::Over;
        else if (row.isLookedAt && isHopeless(row))
            row.decision = Decision::Hopeless;
        if (row.decision != Decision::Open) return;
        const std::size_t until = looks ? std::max(looks->first, row.seen + 1) : seeds.size();
        row.next.assign(seeds.begin() + std::ptrdiff_t(row.seen), seeds.begin() + std::ptrdiff_t(until));
    }
};

/// Corrects one kind of p values for the family.
void correct(std::vector<RowVerdict>& rows, std::optional<double> RowVerdict::*which, std::int64_t comparisons) {
    std::vector<double> p;
    for (const RowVerdict& row : rows)
        if (row.*which) p.push_back(*(row.*which));
    const auto corrected = holmCorrected(p, comparisons);
    auto next = corrected.begin();
    for (RowVerdict& row : rows)
        if (row.*which) row.*which = *next++;
}

}  // namespace

StudyVerdict verdictOf(const Study& study, const std::map<std::string, StudyValues>& values) {
    const auto valuesOf = [&](const std::string& row) {
        const auto found = values.find(row);
        return found == values.end() ? StudyValues{} : found->second;
    };
    const std::vector<std::uint64_t> seeds = study.allSeeds();
    const StudyValues baseline = valuesOf(study.baseline);
    StudyVerdict verdict;
    verdict.level = study.level();
    verdict.comparisons = study.rows.size() - 1;
    verdict.baseline = firstOf(baseline.values, seeds, seeds.size());
    verdict.baselineLeftOut = baseline.leftOut;
    const Comparison comparison{study, seeds, verdict.level, study.family(), std::get_if<Looks>(&study.seeds)};
    for (const PlanRow& row : study.rows)
        if (row.name != study.baseline) verdict.rows.push_back(comparison.of(row.name, valuesOf(row.name), baseline));
    for (RowVerdict& row : verdict.rows) row.correctedP = row.difference.p;
    if (study.holm)
        for (const auto which : {&RowVerdict::correctedP, &RowVerdict::equivalenceP})
            correct(verdict.rows, which, std::int64_t(verdict.comparisons));
    std::set<std::uint64_t> next;
    for (RowVerdict& row : verdict.rows) {
        comparison.decide(row);
        next.insert(row.next.begin(), row.next.end());
    }
    verdict.nextSeeds.assign(next.begin(), next.end());
    return verdict;
}

int claimIn(const Study& study, const StudyVerdict& verdict) {
    if (!study.claim) return 0;
    const auto row = std::find_if(verdict.rows.begin(), verdict.rows.end(),
                                  [&](const RowVerdict& one) { return one.name == study.claim->variant; });
    if (row == verdict.rows.end() || !row->isLookedAt) return 0;
    const auto hasFailed = [](const LeftOutRun& run) { return run.hasFailed; };
    for (const auto* leftOut : {&row->leftOut, &verdict.baselineLeftOut})
        if (std::any_of(leftOut->begin(), leftOut->end(), hasFailed)) return 0;
    if (study.claim->verdict == Verdict::Equivalent) {
        if (row->equivalenceP && *row->equivalenceP < verdict.level) return 1;
        const auto& interval = row->difference.interval;
        return interval && (interval->low > *study.margin || interval->high < -*study.margin) ? -1 : 0;
    }
    if (row->verdict == study.claim->verdict) return 1;
    return row->verdict == Verdict::Better || row->verdict == Verdict::Worse ? -1 : 0;
}

}  // namespace heddle
