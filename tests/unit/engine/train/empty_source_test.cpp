// SPDX-License-Identifier: Apache-2.0
#include "engine/device/torch_pch.h"
#include "tests/unit/engine/train/train_support.h"

#include <gtest/gtest.h>

#include <map>

namespace heddle {
namespace {

TEST(Train, AnEmptySourceLineHasAnEmptyTranslationWhereverItIsAsked) {
    TemporaryFolder folder;
    auto valid = test::toyPairs(3);
    valid[1].first = "";
    test::Attempt attempt(40, 6);
    attempt.spec = test::toySpec(folder.path(), test::toyPairs(12), valid);
    attempt.spec.train.epochs = 2;
    const TrainOutcome outcome = attempt.run();
    std::map<std::int64_t, std::string> sampled;
    for (const SampleText& sample : attempt.sink.all<SampleText>()) sampled[sample.index] = sample.hypothesis;
    ASSERT_TRUE(sampled.contains(2));
    EXPECT_EQ(sampled.at(1), "") << "evaluated";
    EXPECT_NE(sampled.at(2), "");
    const auto session = test::createEngine()->openInference(
        attempt.spec, attempt.folder / "run", attempt.folder / "run/step-" + std::to_string(outcome.step), "cpu");
    DecodeRequest request;
    request.lines = {valid[0].first, "", valid[2].first};
    const auto lines = session->translate(request);
    for (const std::size_t i : {0U, 1U, 2U})
        EXPECT_EQ(lines[i].hypotheses.front().text, sampled.at(static_cast<std::int64_t>(i))) << i << ": translated";
    request.search.method = SearchOptions::Method::Beam;
    request.search.nBest = 2;
    EXPECT_EQ(session->translate(request)[1].hypotheses.size(), 1U);
}

}  // namespace
}  // namespace heddle
