// SPDX-License-Identifier: Apache-2.0
// The corpus and the run specs that ship with Heddle (resources/sample).
#include "engine/base/json.h"
#include "engine/data/loading/run_data.h"
#include "engine/data/readers/parallel_split.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace heddle {
namespace {

using ::testing::IsEmpty;

const std::string kSample = HEDDLE_SOURCE_DIR "/resources/sample";

TEST(Sample, SplitsAreDisjointAndKnowTheSameWords) {
    std::set<std::string> sources, words[2];
    std::size_t lines = 0;
    for (const std::string split : {"train", "valid", "test"}) {
        const ParallelText text = readParallelText({kSample + "/" + split + ".en", kSample + "/" + split + ".weft"}, split, {});
        EXPECT_EQ(text.source.size(), split == "train" ? 4'000U : 200U);
        EXPECT_THAT(text.notes, IsEmpty());
        lines += text.source.size();
        sources.insert(text.source.begin(), text.source.end());
        for (const int side : {0, 1})
            for (const std::string& line : side == 0 ? text.source : text.target)
                for (const std::string& word : splitWords(line, WordSplit::Whitespace))
                    EXPECT_TRUE(words[side].insert(word).second == false || split == "train")
                        << split << " has a new word: " << word;
    }
    EXPECT_EQ(sources.size(), lines) << "a sentence occurs twice";
}

TEST(Sample, RunSpecsLoadTheCorpusWhole) {
    for (const std::string name : {"eau-base", "eau-full"}) {
        const RunSpec spec = RunSpec::parse(readJsonFile(kSample + "/" + name + ".json"), builtinCatalogue(), kSample);
        EXPECT_EQ(spec.name, name);
        const RunData data = loadRunData(spec, {}, {});
        EXPECT_EQ(data.train.size(), 4'000);
        EXPECT_EQ(data.valid.size(), 200);
        EXPECT_EQ(data.test.size(), 200);
        EXPECT_THAT(data.notes, IsEmpty()) << "nothing is dropped or cut";
        EXPECT_EQ(data.sourceTokenizer->size(), 144);
        EXPECT_EQ(data.targetTokenizer->size(), 277);
        EXPECT_EQ(std::count(data.valid.target.begin(), data.valid.target.end(), kUnk), 0);
    }
}

}  // namespace
}  // namespace heddle
