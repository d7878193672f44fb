// SPDX-License-Identifier: Apache-2.0
// Simulates studies whose truth is known and prints how often they say something false, how often their intervals hold the
// truth, and how many runs those take that end early. Every study goes its whole way through verdictOf() (study_loop.h). Then
// the other intervals of engine/analysis (intervals.h).
//
//   build/release/bin/simulate [STUDIES=10000]
//
// Exit code 1 when a share is out of its bounds, which are made for 10,000 studies.
#include "tests/simulations/intervals.h"
#include "tests/simulations/study_loop.h"
#include "tests/simulations/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>

namespace {

using namespace heddle;

constexpr Bounds kErrors{4.4, 5.6}, kFewErrors{0, 5.6}, kCoverage{94, 96}, kMuchCoverage{94, 100}, kRuns{0, 65};

const Truth kApart{};
const Truth kSteadyBaseline{0, 0, 1, 0.1};  // the comparisons of a family hardly depend on each other

bool showsDifference(const RowVerdict& row) { return row.verdict == Verdict::Better || row.verdict == Verdict::Worse; }

/// The mean of `share`, a number between 0 and 1 of each study.
void line(Table& table, const std::string& what, const Study& study, const Truth& truth, Bounds bounds,
          const std::function<double(const Answered&)>& share) {
    table.line(what, bounds, [&](std::mt19937_64& random) { return share(answer(study, truth, random)); });
}

double saysFalse(const Answered& answered) {
    const auto& rows = answered.verdict.rows;
    return std::any_of(rows.begin(), rows.end(), showsDifference) ? 1 : 0;
}

/// Whether all intervals hold the true difference.
std::function<double(const Answered&)> holds(double truth) {
    return [truth](const Answered& answered) {
        const auto& rows = answered.verdict.rows;
        return std::all_of(rows.begin(), rows.end(),
                           [truth](const RowVerdict& row) { return row.difference.interval->contains(truth); })
                   ? 1
                   : 0;
    };
}

std::function<double(const Answered&)> isClaimed(const Study& study) {
    return [&study](const Answered& answered) { return claimIn(study, answered.verdict) == 1 ? 1 : 0; };
}

void fixedSeeds(Table& table) {
    for (const int n : {4, 6, 10}) {
        std::string seeds;
        for (int seed = 1; seed <= n; ++seed) seeds += (seed == 1 ? "" : ",") + std::to_string(seed);
        const Study paired = studyOf(1, R"({"test":"paired","seeds":[)" + seeds + "]}");
        const Study welch = studyOf(1, R"({"test":"welch","seeds":[)" + seeds + "]}");
        // Welch's test of four runs rejects less than it may: 4.0 % where both variants scatter alike.
        line(table, fmt::format("false differences, {} pairs", n), paired, kPairs, kErrors, saysFalse);
        line(table, fmt::format("false differences, {} runs each (Welch)", n), welch, kApart, n < 6 ? kFewErrors : kErrors,
             saysFalse);
        line(table, fmt::format("intervals that hold the truth, {} pairs", n), paired, shifted(kPairs, 1), kCoverage, holds(1));
        line(table, fmt::format("intervals that hold the truth, {} runs each (Welch)", n), welch, shifted(kApart, 1),
             n < 6 ? kMuchCoverage : kCoverage, holds(1));
    }
}

void growing(Table& table) {
    const Study paired = studyOf(1, R"({"test":"paired","seeds":{"first":3,"last":12}})");
    const Study welch = studyOf(1, R"({"test":"welch","seeds":{"first":3,"last":12}})");
    line(table, "false differences, looked at after 3 to 12 pairs", paired, kPairs, kErrors, saysFalse);
    line(table, "false differences, looked at after 3 to 12 runs each (Welch)", welch, kApart, kErrors, saysFalse);
    line(table, "intervals that hold the truth, 3 to 12 pairs, no difference", paired, kPairs, kCoverage, holds(0));
    for (const double size : {1.5, 2.0, 3.0}) {
        const Truth truth = shifted(kPairs, size);
        line(table, fmt::format("intervals that hold the truth, 3 to 12 pairs, {} sd", size), paired, truth, kMuchCoverage,
             holds(size));
        line(table, fmt::format("runs, of those of 12 pairs, {} sd", size), paired, truth, kRuns,
             [](const Answered& answered) { return double(answered.runs) / 24; });
        line(table, fmt::format("differences that are shown, 3 to 12 pairs, {} sd", size), paired, truth, {90, 100}, saysFalse);
    }
}

/// Of variants that differ by the margin, four standard errors of ten pairs, so that the other one-sided test always holds.
void equivalent(Table& table) {
    const double margin = 4 / std::sqrt(10.0);
    const std::string claim = fmt::format(R"("margin":{},"claim":{{"row":"v1","verdict":"equivalent"}})", margin);
    const Study fixed = studyOf(1, R"({"seeds":[1,2,3,4,5,6,7,8,9,10],)" + claim + "}");
    const Study welch = studyOf(1, R"({"test":"welch","seeds":[1,2,3,4,5,6,7,8,9,10],)" + claim + "}");
    const Study looks = studyOf(1, R"({"seeds":{"first":3,"last":12},)" + claim + "}");
    const Truth apart{margin, 0, std::sqrt(0.5), std::sqrt(0.5)};
    line(table, "false equivalence at the margin, 10 pairs", fixed, shifted(kPairs, margin), kErrors, isClaimed(fixed));
    line(table, "false equivalence at the margin, 10 runs each (Welch)", welch, apart, kErrors, isClaimed(welch));
    line(table, "false equivalence at the margin, 3 to 12 pairs", looks, shifted(kPairs, margin), kFewErrors, isClaimed(looks));
}

/// Holm's correction promises at most 5 %. Comparisons with one baseline depend on each other and reject less, the more the
/// baseline scatters.
void families(Table& table) {
    const Study twenty = studyOf(20, R"({"seeds":[1,2,3,4,5,6]})");
    line(table, "any false difference, 20 variants, 6 pairs, steady baseline", twenty, kSteadyBaseline, kErrors, saysFalse);
    line(table, "any false difference, 20 variants, 6 pairs, all scatter alike", twenty, kPairs, kFewErrors, saysFalse);
    const Study looks = studyOf(20, R"({"seeds":{"first":3,"last":12}})");
    line(table, "any false difference, 20 variants, 3 to 12 pairs, all scatter alike", looks, kPairs, kFewErrors, saysFalse);
    line(table, "all 20 intervals hold the truth, steady baseline", twenty, shifted(kSteadyBaseline, 1), kCoverage, holds(1));
    line(table, "all 20 intervals hold the truth, all scatter alike", twenty, shifted(kPairs, 1), kMuchCoverage, holds(1));
}

}  // namespace

int main(int argc, char** argv) {
    const int studies = argc > 1 ? std::atoi(argv[1]) : 10'000;
    if (argc > 2 || studies < 1) {
        std::fprintf(stderr, "usage: simulate [STUDIES=10000]\n");
        return 2;
    }
    Table table(studies);
    fixedSeeds(table);
    growing(table);
    equivalent(table);
    families(table);
    simulateIntervals(table);
    fmt::print("\n{}\n", table.isMissed() ? "A share is out of its bounds." : "All shares are within their bounds.");
    return table.isMissed() ? 1 : 0;
}
