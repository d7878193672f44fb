// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/study.h"

#include "engine/analysis/paired_difference.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace heddle {
namespace {

/// The values of the first `count` of `seeds`; of a row of existing runs all values.
SeedValues firstOf(const StudyValues& row, const std::vector<std::uint64_t>& seeds, std::size_t count) {
    const SeedValues& values = row.values;
    if (row.isWhole) return values;
    SeedValues kept;
    for (std::size_t i = 0; i < std::min(count, seeds.size()); ++i)
        if (const auto found = values.find(seeds[i]); found != values.end()) kept.insert(*found);
    return kept;
}

/// How many of `seeds`, from the first on, both rows have a value or a reason for having none.
std::size_t seedsOfBoth(const StudyValues& variant, const StudyValues& baseline, const std::vector<std::uint64_t>& seeds) {
    const auto has = [](const StudyValues& row, std::uint64_t seed) {
        return row.isWhole || row.values.contains(seed) ||
               std::any_of(row.leftOut.begin(), row.leftOut.end(), [seed](const auto& run) { return run.seed == seed; });
    };
    const auto missing = std::find_if(seeds.begin(), seeds.end(),
                                      [&](std::uint64_t seed) { return !has(variant, seed) || !has(baseline, seed); });
    return std::size_t(missing - seeds.begin());
}

}  // namespace

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
        const SeedValues mine = firstOf(own, seeds, row.seen), others = firstOf(baseline, seeds, row.seen);
        row.difference = seedDifference(mine, others, study.test, level / family);
        if (row.isLookedAt) row.ranks = rankDifference(mine, others, study.test);
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

/// Corrects one kind of p values for the family. A row that is not looked at has no rank among the others: its p value is as if
/// it were the smallest.
void correct(std::vector<RowVerdict>& rows, std::optional<double> RowVerdict::*which, std::int64_t comparisons) {
    std::vector<double> p;
    for (const RowVerdict& row : rows)
        if (row.isLookedAt && row.*which) p.push_back(*(row.*which));
    const auto corrected = holmCorrected(p, comparisons);
    auto next = corrected.begin();
    for (RowVerdict& row : rows)
        if (row.*which) row.*which = row.isLookedAt ? *next++ : std::min(1.0, double(comparisons) * *(row.*which));
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
    verdict.baseline = firstOf(baseline, seeds, seeds.size());
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
