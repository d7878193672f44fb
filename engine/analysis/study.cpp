// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/study.h"

#include "engine/analysis/metric_summary.h"
#include "engine/analysis/paired_difference.h"
#include "engine/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>
#include <string_view>

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

/// A member of the study; `otherwise` if it is not there.
template <class T>
T member(const Json& document, const char* key, const std::string& where, T otherwise) {
    const auto found = document.find(key);
    if (found == document.end()) return otherwise;
    try {
        return found->get<T>();
    } catch (const Json::exception&) {
        throwInvalid(fmt::format("the study has no usable \"{}\"", key), where, kNext);
    }
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

double share(const Json& document, const char* key, const std::string& where, double otherwise) {
    const auto value = member<double>(document, key, where, otherwise);
    if (!(value > 0 && value < 1)) throwInvalid(fmt::format("\"{}\" must be between 0 and 1", key), where, kNext);
    return value;
}

StudyMetric readMetric(const Json& document, const std::string& where) {
    StudyMetric metric;
    if (!document.is_object())
        throwInvalid("\"metric\" must be an object", where, R"({"split":"valid","name":"loss","value":"last"})");
    metric.split = member<std::string>(document, "split", where, metric.split);
    metric.name = member<std::string>(document, "name", where, metric.name);
    metric.rule = ValueRule::parse(member<std::string>(document, "value", where, "last"), where);
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
    study.question = member<std::string>(document, "question", where, "");
    const Json rows = document.value("rows", Json());
    study.rows = Plan::parse({{"schema", "heddle.plan/1"}, {"rows", rows}}, where).rows;
    for (PlanRow& row : study.rows) row.seeds = {1};
    study.baseline = member<std::string>(document, "baseline", where, study.rows.front().name);
    study.metric = readMetric(document.value("metric", Json::object()), where);
    study.test =
        choice<SeedTest>(document, "test", where, study.test, {{"paired", SeedTest::Paired}, {"welch", SeedTest::Welch}});
    study.alpha = share(document, "alpha", where, study.alpha);
    study.power = share(document, "power", where, study.power);
    study.holm = choice<bool>(document, "family", where, true, {{"holm", true}, {"none", false}});
    if (document.contains("margin")) {
        study.margin = member<double>(document, "margin", where, 0);
        if (!(*study.margin > 0)) throwInvalid("\"margin\" must be above 0", where, "it is in units of the metric");
    }
    study.seeds = readSeeds(document.value("seeds", Json::object()), where);
    if (const Json claim = document.value("claim", Json()); !claim.is_null()) {
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
    return looks ? levelOfLooks(test, *looks, alpha) : alpha;
}

StudyVerdict verdictOf(const Study& study, const std::map<std::string, StudyValues>& values) {
    const auto valuesOf = [&](const std::string& row) {
        const auto found = values.find(row);
        return found == values.end() ? StudyValues{} : found->second;
    };
    const std::vector<std::uint64_t> seeds = study.allSeeds();
    const auto* const looks = std::get_if<Looks>(&study.seeds);
    const StudyValues baseline = valuesOf(study.baseline);
    StudyVerdict verdict;
    verdict.level = study.level();
    verdict.comparisons = study.rows.size() - 1;
    verdict.baseline = firstOf(baseline.values, seeds, seeds.size());
    verdict.baselineLeftOut = baseline.leftOut;
    const double family = study.holm ? double(verdict.comparisons) : 1;
    std::vector<double> p;
    std::vector<std::size_t> seen;                            ///< seeds of each row
    std::map<std::size_t, std::optional<double>> detectable;  ///< by n, of runs with a deviation of 1
    for (const PlanRow& row : study.rows) {
        if (row.name == study.baseline) continue;
        const StudyValues own = valuesOf(row.name);
        seen.push_back(seedsOfBoth(own, baseline, seeds));
        RowVerdict one;
        one.name = row.name;
        one.leftOut = own.leftOut;
        const SeedValues mine = firstOf(own.values, seeds, seen.back()), theirs = firstOf(baseline.values, seeds, seen.back());
        one.difference = seedDifference(mine, theirs, study.test, verdict.level / family);
        if (study.margin) one.equivalenceP = equivalence(one.difference, *study.margin);
        if (one.difference.p) {
            p.push_back(*one.difference.p);
            const double n = double(std::min(one.difference.n, one.difference.nBaseline));
            const double unit = one.difference.error * std::sqrt(n / (study.test == SeedTest::Paired ? 1 : 2));
            const auto [found, isNew] = detectable.try_emplace(std::size_t(n));
            if (isNew) found->second = smallestDetectable(study.test, 1, found->first, verdict.level / family, study.power);
            if (found->second) one.smallest = *found->second * unit;
        }
        verdict.rows.push_back(std::move(one));
    }
    const auto corrected = study.holm ? holmCorrected(p, std::int64_t(verdict.comparisons)) : p;
    std::size_t tested = 0;
    std::set<std::uint64_t> next;
    for (std::size_t i = 0; i < verdict.rows.size(); ++i) {
        RowVerdict& row = verdict.rows[i];
        const bool mayLook = seen[i] >= (looks ? looks->first : seeds.size());  // earlier it would be peeking
        if (row.difference.p) {
            row.correctedP = corrected[tested++];
            if (mayLook)
                row.verdict =
                    verdictOf(row.difference, *row.correctedP, row.equivalenceP, study.metric.lowerIsBetter, verdict.level);
        }
        if (row.verdict != Verdict::NotShown)
            row.decision = Decision::Shown;
        else if (seen[i] == seeds.size())
            row.decision = Decision::Over;
        else if (looks && mayLook && study.margin && row.difference.p &&
                 conditionalPower(row.difference, *looks, *study.margin, verdict.level / family).value_or(1) < kHopeless)
            row.decision = Decision::Hopeless;
        if (row.decision != Decision::Open) continue;
        const std::size_t until = looks ? std::max(looks->first, seen[i] + 1) : seeds.size();
        for (std::size_t k = seen[i]; k < until; ++k) next.insert(seeds[k]);
    }
    verdict.nextSeeds.assign(next.begin(), next.end());
    return verdict;
}

int claimIn(const Study& study, const StudyVerdict& verdict) {
    if (!study.claim) return 0;
    for (const RowVerdict& row : verdict.rows) {
        if (row.name != study.claim->variant || row.verdict == Verdict::NotShown) continue;
        return row.verdict == study.claim->verdict ? 1 : -1;
    }
    return 0;
}

}  // namespace heddle
