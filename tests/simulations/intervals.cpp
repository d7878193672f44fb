// SPDX-License-Identifier: Apache-2.0
#include "tests/simulations/intervals.h"

#include "engine/analysis/curve_difference.h"
#include "engine/analysis/noise_floor.h"
#include "engine/analysis/scaling_fit.h"
#include "engine/analysis/two_level.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace heddle {
namespace {

using Random = std::mt19937_64;

constexpr Bounds kHeld{94, 96};

double normal(Random& random) { return std::normal_distribution<double>()(random); }

void noiseFloors(Table& table) {
    table.line("two means of 3 seeds below the noise floor of 3 groups", {94, 96}, [](Random& random) {
        std::vector<std::vector<double>> groups(3, std::vector<double>(3));
        std::vector<double> means;
        for (auto& group : groups) {
            for (double& value : group) value = normal(random);
            means.push_back(std::accumulate(group.begin(), group.end(), 0.0) / 3);
        }
        return std::abs(means[0] - means[1]) < noiseFloor(groups)->reach(3) ? 1 : 0;
    });
}

/// Accuracies over 200 items of unequal difficulty, of pairs of runs that differ by chance alone.
void twoLevels(Table& table) {
    for (const std::size_t seeds : {3U, 5U, 10U})
        for (const auto& [ofSeeds, where] : {std::pair{0.0, "items"}, {0.1, "both"}, {0.5, "seeds"}})
            table.line(fmt::format("two-level intervals of accuracy held, {} pairs, scatter of {}", seeds, where), kHeld,
                       [seeds = seeds, ofSeeds = ofSeeds](Random& random) {
                           std::vector<double> hard(200);
                           for (double& item : hard) item = normal(random);
                           const auto run = [&] {
                               const double own = ofSeeds * normal(random);
                               ItemTerms terms;
                               for (const double item : hard)
                                   terms.insert(terms.end(), {item + own + normal(random) > 0 ? 1.0 : 0.0, 1});
                               return terms;
                           };
                           SeedItems a, b;
                           for (std::uint64_t seed = 1; seed <= seeds; ++seed) a[seed] = run(), b[seed] = run();
                           const auto found = twoLevelDifference(ratioMetric(), a, b, SeedTest::Paired, 0.05);
                           return found.interval->contains(0) ? 1 : 0;
                       });
}

/// Sentences of words by chance, and outputs of each from good to bad.
class Sentences {
public:
    static constexpr std::size_t kOutputs = 30;

    Sentences(std::size_t count, Random& random) : outputs_(count) {
        const auto word = [&] { return std::to_string(random() % 20 * (random() % 20)); };
        for (auto& outputs : outputs_) {
            std::vector<std::string> reference(6 + random() % 14);
            std::generate(reference.begin(), reference.end(), word);
            for (std::size_t rank = 0; rank < kOutputs; ++rank) {
                std::vector<std::string> output = reference;
                for (std::string& one : output)
                    if (random() % 100 < 2 * rank) one = word();
                outputs.push_back(bleuStatistics(output, reference));
            }
        }
    }

    /// Of a run that answers these sentences; `shift`: how much worse its seed makes all outputs, in ranks.
    ItemTerms run(const std::vector<std::size_t>& sentences, double shift, Random& random) const {
        std::vector<BleuStatistics> all;
        for (const std::size_t sentence : sentences) {
            const double rank = std::clamp(15 + shift + 5 * normal(random), 0.0, kOutputs - 1.0);
            all.push_back(outputs_[sentence][std::size_t(rank)]);
        }
        return bleuTerms(all);
    }

private:
    std::vector<std::vector<BleuStatistics>> outputs_;
};

void twoLevelsOfBleu(Table& table) {
    Random first(7);
    const Sentences sentences(2000, first);
    for (const std::size_t seeds : {3U, 5U, 10U})
        for (const auto& [ofSeeds, where] : {std::pair{0.0, "items"}, {1.0, "seeds"}})
            table.line(fmt::format("two-level intervals of BLEU held, {} pairs, scatter of {}", seeds, where), kHeld,
                       [&, seeds = seeds, ofSeeds = ofSeeds](Random& random) {
                           std::vector<std::size_t> drawn(200);
                           for (std::size_t& one : drawn) one = random() % 2000;
                           SeedItems a, b;
                           for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
                               a[seed] = sentences.run(drawn, ofSeeds * normal(random), random);
                               b[seed] = sentences.run(drawn, ofSeeds * normal(random), random);
                           }
                           const auto found = twoLevelDifference(bleuMetric("exp"), a, b, SeedTest::Paired, 0.05);
                           return found.interval->contains(0) ? 1 : 0;
                       });
}

/// How the scatter of a curve goes on from place to place: it keeps this share, and part of it is the same all the way.
struct Scatter {
    const char* name;
    double keeps, always;
};

SeedCurves curves(std::size_t runs, std::size_t places, const Scatter& scatter, Random& random) {
    SeedCurves all;
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
        const double always = scatter.always * normal(random);
        double at = normal(random);
        for (std::size_t i = 0; i < places; ++i) {
            all[seed].emplace_back(double(i), at + always);
            at = scatter.keeps * at + std::sqrt(1 - scatter.keeps * scatter.keeps) * normal(random);
        }
    }
    return all;
}

void bands(Table& table) {
    for (const SeedTest test : {SeedTest::Paired, SeedTest::Welch})
        for (const std::size_t runs : {3U, 6U, 10U})
            for (const Scatter& scatter : {Scatter{"white", 0, 0}, {"wanders", 0.95, 0}, {"as seeds", 0, 3}})
                table.line(fmt::format("bands of curves held at 40 places at once, {} {}, scatter {}", runs,
                                       test == SeedTest::Paired ? "pairs" : "runs each", scatter.name),
                           {94, 100}, [&, runs = runs](Random& random) {
                               const auto found = curveDifference(curves(runs, 40, scatter, random),
                                                                  curves(runs, 40, scatter, random), test, 0.05);
                               return std::all_of(found.points.begin(), found.points.end(),
                                                  [](const CurvePoint& point) { return point.band->contains(0); })
                                          ? 1
                                          : 0;
                           });
}

/// L(N) = 3 · N^(−0.3) + floor.
ScalingFit drawnFit(const std::vector<double>& sizes, double floor, Random& random) {
    std::vector<SizedRun> runs;
    for (const double size : sizes)
        for (int i = 0; i < 3; ++i)
            runs.push_back({size, (3 * std::pow(size, -0.3) + floor) * std::exp(0.005 * normal(random))});
    return scalingFit(runs, 0.05);
}

void scalingFits(Table& table) {
    table.line("exponents of power laws held, 3 runs of 3 sizes", {94, 96}, [](Random& random) {
        return drawnFit({1, 5, 25}, 0, random).exponent->interval.contains(0.3) ? 1 : 0;
    });
    const std::vector<double> five{1, 3.2, 10, 32, 100};
    table.line("exponents beside a floor, told and held, 3 runs of 5 sizes", {93, 97}, [&](Random& random) {
        const ScalingFit fit = drawnFit(five, 1, random);
        return fit.floor && fit.exponent->interval.contains(0.3) ? 1 : 0;
    });
}

}  // namespace

void simulateIntervals(Table& table) {
    noiseFloors(table);
    twoLevels(table);
    twoLevelsOfBleu(table);
    bands(table);
    scalingFits(table);
}

}  // namespace heddle
