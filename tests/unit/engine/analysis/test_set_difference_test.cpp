// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/test_set_difference.h"

#include "engine/analysis/numpy_random.h"
#include "tests/unit/engine/analysis/comparison_cases.h"

#include <stdexcept>
#include <vector>

namespace heddle {
namespace {

const Json& testSetCases() {
    static const Json all = oracleCases("HEDDLE_SIGNIFICANCE_CASES", "significance_cases.json");
    return all;
}

TEST(SignificanceOracle, RandomNumbersAreThoseOfNumpy) {
    const Json& numbers = testSetCases().at("numbers");
    NumpyRandom choice(12345), large(12345), coins(12345), other(7);
    for (const Json& one : numbers.at("choice")) EXPECT_EQ(choice.below(1014), one.get<std::uint32_t>());
    for (const Json& one : numbers.at("large")) EXPECT_EQ(large.below(3'000'000'000U), one.get<std::uint32_t>());
    for (const Json& one : numbers.at("other_seed")) EXPECT_EQ(other.below(1014), one.get<std::uint32_t>());
    std::string drawn;
    for (int i = 0; i < 1000; ++i) drawn += coins.coin() ? '1' : '0';
    EXPECT_EQ(drawn, numbers.at("coins").get<std::string>());
}

struct Scored {
    ItemMetric metric;
    ItemTerms variant, baseline;
    std::string signature;  ///< of the metric
};

Scored scoredOf(const Json& one) {
    const std::string metric = one.at("metric");
    const std::vector<std::string> references = one.at("references"), variant = one.at("variant"),
                                   baseline = one.at("baseline");
    if (metric.starts_with("bleu")) {
        const BleuOptions options = metric == "bleu" ? BleuOptions{} : BleuOptions{"none", "exp", true};
        const BleuScore first = corpusBleu(variant, references, options), second = corpusBleu(baseline, references, options);
        return {bleuMetric("exp"), bleuTerms(first.sentences), bleuTerms(second.sentences), first.signature};
    }
    ChrfOptions options;
    options.wordOrder = metric == "chrf" ? 0 : 2;
    return {chrfMetric(options), chrfTerms(variant, references, options), chrfTerms(baseline, references, options),
            corpusChrf(variant, references, options).value.signature};
}

/// Without the version, which is ours.
std::string withoutVersion(const std::string& signature) { return signature.substr(0, signature.rfind("|version:")); }

TEST(SignificanceOracle, PairedTestsAreThoseOfSacreBleu) {
    for (const Json& one : testSetCases().at("pairs")) {
        SCOPED_TRACE(one.at("metric").dump() + one.at("bs").dump());
        const Scored scored = scoredOf(one);
        const auto bootstrap = pairedBootstrap(scored.metric, scored.variant, scored.baseline);
        const auto randomised = approximateRandomisation(scored.metric, scored.variant, scored.baseline);
        const Json &bs = one.at("bs"), &ar = one.at("ar");
        EXPECT_TRUE(isNear(bootstrap.score, bs.at("score")));
        EXPECT_TRUE(isNear(bootstrap.scoreBaseline, bs.at("score_baseline")));
        EXPECT_EQ(bootstrap.p, bs.at("p").get<double>());
        EXPECT_NEAR(bootstrap.resampled->mean, bs.at("mean").get<double>(), 1e-4);
        EXPECT_NEAR(bootstrap.resampled->reach, bs.at("reach").get<double>(), 1e-4);
        EXPECT_NEAR(bootstrap.resampledBaseline->mean, bs.at("mean_baseline").get<double>(), 1e-4);
        EXPECT_NEAR(bootstrap.resampledBaseline->reach, bs.at("reach_baseline").get<double>(), 1e-4);
        EXPECT_EQ(randomised.p, ar.at("p").get<double>());
        EXPECT_FALSE(randomised.resampled);
        EXPECT_EQ(withoutVersion(testSetSignature(scored.signature, "bs:1000")), withoutVersion(bs.at("signature")));
        EXPECT_EQ(withoutVersion(testSetSignature(scored.signature, "ar:10000")), withoutVersion(ar.at("signature")));
    }
}

TEST(TestSetDifference, TermsAreThoseOfTheCorpus) {
    const std::vector<std::string> output{"a man runs", "two dogs", ""}, reference{"a man is running", "two dogs .", "nothing"};
    const ChrfOptions options;
    const ItemTerms terms = chrfTerms(output, reference, options);
    const ItemMetric metric = chrfMetric(options);
    EXPECT_EQ(metric.itemsOf(terms), 3U);
    EXPECT_NEAR(metric.score(metric.sumsOf(terms)), corpusChrf(output, reference, options).value.value, 1e-12);
    const BleuScore bleu = corpusBleu(output, reference, {});
    EXPECT_EQ(bleuMetric("exp").score(bleuMetric("exp").sumsOf(bleuTerms(bleu.sentences))), bleu.bleu);
}

TEST(TestSetDifference, EqualOutputsAreSaidToBeEqual) {
    const ItemTerms terms{1, 1, 0, 1, 1, 1};
    // sacreBLEU's own rule: a difference of 0 is not attributed to chance, and no trial exceeds it.
    const auto equal = approximateRandomisation(ratioMetric(), terms, terms);
    EXPECT_EQ(equal.p, 1 / 10'001.0);
    EXPECT_TRUE(equal.areEqual);
    EXPECT_FALSE(pairedBootstrap(ratioMetric(), terms, {1, 1, 1, 1, 1, 1}).areEqual);
    EXPECT_THROW(pairedBootstrap(ratioMetric(), terms, {1, 1}), std::invalid_argument);
    EXPECT_THROW(pairedBootstrap(ratioMetric(), {1}, {1}), std::invalid_argument);
}

}  // namespace
}  // namespace heddle
