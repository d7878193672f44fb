// SPDX-License-Identifier: Apache-2.0
// Pairs that are split or filtered, and examples with the tokenizers of a run, out of the cache.
#include "engine/base/json.h"
#include "engine/data/batching/prefetcher.h"
#include "engine/data/batching/row_batches.h"
#include "engine/data/cache/cache_file.h"
#include "engine/data/loading/run_data.h"
#include "engine/spec/catalogue.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing_support::TempFolder;

class PairCacheTest : public ::testing::Test {
protected:
    PairCacheTest() {
        std::string source, target;
        for (int i = 0; i < 40; ++i) {
            const std::string a = std::to_string(i % 7), b = std::to_string(i % 5);
            source += "w" + a + " w" + b + " word\n";
            target += "W" + a + " W" + b + " WORD" + (i % 9 == 0 ? " W1 W2 W3 W4 W5" : "") + "\n";
        }
        folder_.write("a", source);
        folder_.write("b", target);
        set({"data.train.source=" + folder_.file("a"), "data.train.target=" + folder_.file("b"), "data.split.valid=0.2",
             "data.split.test=0.1", "data.max_words=6", "data.tokenizer.min_count=1"});
    }

    void set(const std::vector<std::string>& assignments) {
        for (const std::string& assignment : assignments) applySet(document_, assignment);
    }
    RunData load(const std::string& tokenizers = "") const {
        return loadRunData(RunSpec::parse(document_, builtinCatalogue()), {folder_.file("cache"), tokenizers}, {});
    }
    std::vector<std::string> cached() const {
        std::vector<std::string> files;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.file("cache")))
            if (entry.path().filename().string().starts_with("examples-")) files.push_back(entry.path().string());
        return files;
    }
    /// Lets every entry say where it came from.
    void markCache() const {
        for (const std::string& path : cached()) {
            CacheRead read = readCacheFile(path);
            Json rest = Json::parse(read.sections->at("rest"));
            rest["notes"] = {"from the cache"};
            (*read.sections)["rest"] = rest.dump();
            writeCacheFile(path, *read.sections);
        }
    }

    TempFolder folder_;
    Json document_ = asRunDocument(presetDocument("eau-base"));
};

std::vector<Batch> batchesOf(const EncodedCorpus& corpus) {
    std::vector<Batch> batches;
    BatchOptions options;
    options.tokens = 64;
    for (const auto& indices : planEpoch(corpus, options, 3)) batches.push_back(makePairBatch(corpus, indices));
    return batches;
}

void expectSameBatches(const EncodedCorpus& a, const EncodedCorpus& b) {
    const auto first = batchesOf(a), second = batchesOf(b);
    ASSERT_EQ(first.size(), second.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
        EXPECT_EQ(first[i].source, second[i].source);
        EXPECT_EQ(first[i].targetIn, second[i].targetIn);
        EXPECT_EQ(first[i].labels, second[i].labels);
        EXPECT_EQ(first[i].positions, second[i].positions);
        EXPECT_EQ(first[i].indices, second[i].indices);
    }
}

TEST_F(PairCacheTest, ASecondStartGivesTheSameBatchesAndNotes) {
    const RunData fresh = load(), again = load();
    EXPECT_THAT(fresh.notes, Contains(HasSubstr("split by data.split: 27 training, 8 validation, 5 test examples")));
    EXPECT_THAT(fresh.notes, Contains(HasSubstr("examples left out")));
    EXPECT_EQ(again.notes, fresh.notes) << "dropped counts are told as at the first start";
    for (const auto corpus : {&RunData::train, &RunData::valid, &RunData::test}) {
        ASSERT_GT((fresh.*corpus).size(), 0);
        expectSameBatches(fresh.*corpus, again.*corpus);
        EXPECT_EQ((fresh.*corpus).sourceText, (again.*corpus).sourceText);
        EXPECT_EQ((fresh.*corpus).targetText, (again.*corpus).targetText);
    }
    EXPECT_EQ(again.sourceTokenizer->hash(), fresh.sourceTokenizer->hash());
    EXPECT_EQ(again.targetTokenizer->hash(), fresh.targetTokenizer->hash());
    EXPECT_NE(again.sourceTokenizer->hash(), again.targetTokenizer->hash());
    EXPECT_EQ(again.dataHashes, fresh.dataHashes);
    ASSERT_EQ(again.reports.size(), 2U);
    EXPECT_EQ(again.reports[1].line(), fresh.reports[1].line());

    markCache();
    EXPECT_THAT(load().notes, ElementsAre("from the cache"));
}

TEST_F(PairCacheTest, AnotherRatioSeedFilterOrFileIsAnotherEntry) {
    load();
    markCache();
    std::size_t entries = 1;
    for (const char* change : {"data.split.valid=0.3", "data.split.test=0", "data.generated.seed=9", "data.max_words=5",
                               "data.min_words=2", "data.limit=11", "data.max_tokens=7", "data.tokenizer.lower=true"}) {
        const Json before = document_;
        set({change});
        EXPECT_THAT(load().notes, Not(Contains("from the cache"))) << change;
        EXPECT_EQ(cached().size(), ++entries) << change;
        document_ = before;
    }
    folder_.write("b", testing_support::readBytes(folder_.file("b")) + "X\n");
    folder_.write("a", testing_support::readBytes(folder_.file("a")) + "x\n");
    EXPECT_THAT(load().notes, Not(Contains("from the cache"))) << "another file";
}

TEST_F(PairCacheTest, ARunThatComesBackFindsWhatItsTrainingLeft) {
    const RunData fresh = load();
    saveTokenizers(fresh, folder_.file("run"));
    markCache();
    const RunData back = load(folder_.file("run"));
    EXPECT_THAT(back.notes, ElementsAre("from the cache")) << "its own tokenizers are nothing to tell";
    EXPECT_EQ(cached().size(), 1U) << "nothing is encoded anew";
    expectSameBatches(back.valid, fresh.valid);

    set({"data.tokenizer.min_count=20"});  // other tokenizers than those that this spec would make
    const RunData other = load(folder_.file("run"));
    EXPECT_EQ(other.sourceTokenizer->hash(), fresh.sourceTokenizer->hash());
    EXPECT_THAT(other.notes, Not(Contains("from the cache")));
    load();
    EXPECT_EQ(load(folder_.file("run")).sourceTokenizer->hash(), fresh.sourceTokenizer->hash())
        << "an entry with other tokenizers is not taken";
}

TEST_F(PairCacheTest, TheRunWhoseTokenizersAreTakenIsNamedAndNotItsFolder) {
    const RunData fresh = load();
    saveTokenizers(fresh, folder_.file("0123456789ab/tokenizer"));
    set({"train.start.checkpoint=" + folder_.file("0123456789ab/step-10"),
         "train.start.weights_sha256=" + std::string(64, 'c')});
    const RunData forked = load(folder_.file("0123456789ab/tokenizer"));
    EXPECT_THAT(forked.notes, Contains("the tokenizers are those of run 0123456789ab, step-10 (weights SHA-256 cccccccccccc…), "
                                       "from which training starts"));
}

TEST(RunTokenizers, NoLinkIsFollowed) {
    const TempFolder folder;
    TokenizerSpec spec;
    spec.minCount = 1;
    RunData data;
    data.sourceTokenizer = data.targetTokenizer = trainTokenizer({"a b c"}, spec);
    data.classes = {"no", "yes"};
    saveTokenizers(data, folder.file("outside"));
    saveClasses(data, folder.file("outside"));
    const auto refusalOf = [&](const auto& read) {
        return testing_support::invalidInput([&] { read(folder.file("run/tokenizer")); });
    };
    const auto tokenizers = [](const std::string& from) { loadTokenizers(from); };
    const auto classes = [](const std::string& from) { loadClasses(from, {}); };
    std::filesystem::create_directories(folder.file("run"));
    std::filesystem::create_directory_symlink(folder.file("outside"), folder.file("run/tokenizer"));
    EXPECT_THAT(refusalOf(tokenizers), HasSubstr("tokenizer is a link, which is not followed"));
    EXPECT_THAT(refusalOf(classes), HasSubstr("tokenizer is a link, which is not followed"));
    std::filesystem::remove(folder.file("run/tokenizer"));
    saveTokenizers(data, folder.file("run/tokenizer"));
    std::filesystem::create_symlink(folder.file("outside/classes.json"), folder.file("run/tokenizer/classes.json"));
    EXPECT_THAT(refusalOf(classes), HasSubstr("classes.json is a link, which is not followed"));
    std::filesystem::remove(folder.file("run/tokenizer/source.json"));
    std::filesystem::create_symlink(folder.file("outside/source.json"), folder.file("run/tokenizer/source.json"));
    EXPECT_THAT(refusalOf(tokenizers), HasSubstr("source.json is a link, which is not followed"));
}

TEST(RunTokenizers, OneOfBothSidesIsLoadedOnce) {
    const TempFolder folder;
    TokenizerSpec spec;
    spec.minCount = 1;
    RunData data;
    data.sourceTokenizer = data.targetTokenizer = trainTokenizer({"a b c"}, spec);
    saveTokenizers(data, folder.file("one"));
    const auto [source, target] = loadTokenizers(folder.file("one"));
    EXPECT_EQ(source, target);
    data.targetTokenizer = trainTokenizer({"d e f"}, spec);
    saveTokenizers(data, folder.file("two"));
    const auto [first, second] = loadTokenizers(folder.file("two"));
    EXPECT_NE(first->hash(), second->hash());
}

}  // namespace
}  // namespace heddle
