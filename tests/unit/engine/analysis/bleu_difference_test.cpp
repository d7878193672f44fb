// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/bleu_difference.h"

#include "engine/base/philox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle {
namespace {

using Sentence = std::vector<std::string>;

/// Numbers in (0, 1), the same in every run.
class BleuDraws {
public:
    double operator()() { return (philox::draw({draws_++, 0, 0, 0}, {11, 5})[0] + 0.5) / 4294967296.0; }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>((*this)() * static_cast<double>(n)); }
    std::string word() { return "w" + std::to_string(below(20) * below(20)); }

private:
    std::uint32_t draws_ = 0;
};

/// Each word is replaced, dropped or doubled by another with this probability.
Sentence damaged(const Sentence& words, double rate, BleuDraws& draw) {
    Sentence made;
    for (const std::string& word : words) {
        const double u = draw();
        if (u >= rate * 0.2) made.push_back(u < rate * 0.8 ? draw.word() : word);
        if (u >= rate * 0.8 && u < rate) made.push_back(draw.word());
    }
    return made;
}

/// Sentences of two systems, and how a sentence of the first becomes that of the second.
struct Systems {
    std::vector<BleuStatistics> before, after;

    Systems(double quality, const std::function<Sentence(const Sentence& reference, const Sentence& output)>& change,
            BleuDraws& draw) {
        for (int i = 0; i < 2500; ++i) {
            Sentence reference(6 + draw.below(14));
            std::generate(reference.begin(), reference.end(), [&] { return draw.word(); });
            const double rate = std::min(0.95, quality * 2 * draw());
            const Sentence output = damaged(reference, rate, draw);
            before.push_back(bleuStatistics(output, reference));
            after.push_back(bleuStatistics(change(reference, output), reference));
        }
    }
    double difference() const {
        BleuStatistics a, b;
        for (const auto& one : before) a += one;
        for (const auto& one : after) b += one;
        return bleuOf(b, "exp") - bleuOf(a, "exp");
    }
};

/// As for losses: 93 to 97 % of the intervals that are given hold the difference of the whole population, for systems from
/// poor to good and changes of few to all sentences, in one direction or in both.
TEST(BleuDifference, IntervalsHoldTheTruthAsOftenAsTheySay) {
    BleuDraws draw;
    int judged = 0;
    for (const double quality : {0.1, 0.3, 0.45})
        for (const double share : {0.1, 0.4, 1.0})
            for (const bool isWorse : {false, true}) {
                const auto change = [&](const Sentence& reference, const Sentence& output) {
                    if (draw() >= share) return output;
                    return isWorse ? damaged(output, 0.2, draw)
                                   : damaged(reference, std::min(0.95, quality * 2 * draw()), draw);
                };
                const Systems systems(quality, change, draw);
                const double truth = systems.difference();
                for (const std::size_t n : {20U, 50U, 200U, 1000U}) {
                    const int sets = n == 1000 ? 300 : 800;
                    int given = 0, held = 0;
                    for (int set = 0; set < sets; ++set) {
                        std::vector<BleuStatistics> before, after;
                        for (std::size_t i = 0; i < n; ++i) {
                            const std::size_t one = draw.below(systems.before.size());
                            before.push_back(systems.before[one]), after.push_back(systems.after[one]);
                        }
                        const PairedDifference found = bleuDifference(before, after, "exp");
                        if (!found.interval) continue;
                        ++given;
                        held += found.interval->low <= truth && truth <= found.interval->high ? 1 : 0;
                    }
                    if (given < sets * 3 / 4) continue;
                    ++judged;
                    const double coverage = held / static_cast<double>(given), chance = 2 * std::sqrt(0.95 * 0.05 / given);
                    const std::string what = "quality " + std::to_string(quality) + ", share " + std::to_string(share) +
                                             (isWorse ? ", worse" : "") + ", n = " + std::to_string(n);
                    EXPECT_GE(coverage, 0.93 - chance) << what;
                    EXPECT_LE(coverage, 0.97 + chance) << what;
                }
            }
    EXPECT_GT(judged, 30) << "an interval is given where it can be had";
}

TEST(BleuDifference, SaysWhyThereIsNoInterval) {
    BleuDraws draw;
    std::vector<BleuStatistics> before, after;
    for (int i = 0; i < 40; ++i) {
        Sentence reference(12);
        std::generate(reference.begin(), reference.end(), [&] { return draw.word(); });
        before.push_back(bleuStatistics(reference, reference));
        after.push_back(bleuStatistics(damaged(reference, 0.3, draw), reference));
    }
    EXPECT_TRUE(bleuDifference(before, after, "exp").interval);
    const auto first = [](const std::vector<BleuStatistics>& all, int n) {
        return std::vector<BleuStatistics>(all.begin(), all.begin() + n);
    };
    EXPECT_EQ(bleuDifference(first(before, 4), first(after, 4), "exp").whyNone,
              "an interval needs at least 20 examples; there are 4");
    EXPECT_EQ(bleuDifference(before, before, "exp").whyNone, "no example differs");
    std::vector<BleuStatistics> some = before;
    std::copy_n(after.begin(), 5, some.begin());
    EXPECT_THAT(bleuDifference(before, some, "exp").whyNone, testing::StartsWith("the difference rests on "));
    for (BleuStatistics& one : after) one.matches[3] = 0;
    after[0].matches[3] = 2;
    EXPECT_EQ(bleuDifference(before, after, "exp").whyNone, "2 4-grams match; an interval needs at least 10");
}

}  // namespace
}  // namespace heddle
