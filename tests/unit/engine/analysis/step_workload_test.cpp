// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/workload.h"

#include "engine/base/error.h"
#include "engine/spec/catalogue.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

RunSpec run(const Json& over) {
    Json document{{"variant", {{"preset", "eau-base"}, {"dims", {{"max_len", 40}, {"vocab_src", 30}, {"vocab_tgt", 30}}}}}};
    document.merge_patch(over);
    return RunSpec::parse(document, builtinCatalogue());
}

TEST(StepWorkload, HasBatchesOfTheRunsSize) {
    const Workload byTokens = stepWorkload(run({{"train", {{"batch", {{"tokens", 4096}}}}}}));
    EXPECT_EQ(byTokens.lengths, Workload::Lengths::Buckets);
    EXPECT_EQ(byTokens.tokens, 4096);
    EXPECT_EQ(byTokens.width, 40);
    EXPECT_GT(byTokens.sentences, 1000);
    const Workload byRows = stepWorkload(run({{"train", {{"batch", {{"tokens", 0}, {"sentences", 12}}}}}}));
    EXPECT_EQ(byRows.lengths, Workload::Lengths::Mixed);
    EXPECT_EQ(byRows.rows, 12);
}

TEST(StepWorkload, RefusesWhatItCannotMakeUp) {
    EXPECT_THROW(stepWorkload(run({{"variant", {{"dims", {{"vocab_src", "from_data"}}}}}})), Error);
    const Json tags{{"variant", {{"preset", "bert-base"}, {"head", {{"kind", "classify"}}}, {"dims", {{"classes", 3}}}}},
                    {"data", {{"task", "tag"}}}};
    EXPECT_THROW(stepWorkload(RunSpec::parse(tags, builtinCatalogue())), Error);
}

}  // namespace
}  // namespace heddle
