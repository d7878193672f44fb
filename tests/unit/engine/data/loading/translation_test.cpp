// SPDX-License-Identifier: Apache-2.0
#include "engine/base/json.h"
#include "engine/base/sha256.h"
#include "engine/data/cache/cache_file.h"
#include "engine/data/loading/run_data.h"
#include "engine/data/loading/task_loaders.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace heddle {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing_support::invalidInput;
using testing_support::TempFolder;

void expectEqual(const EncodedCorpus& a, const EncodedCorpus& b) {
    EXPECT_EQ(a.source, b.source);
    EXPECT_EQ(a.target, b.target);
    EXPECT_EQ(a.sourceBegin, b.sourceBegin);
    EXPECT_EQ(a.targetBegin, b.targetBegin);
    EXPECT_EQ(a.sourceText, b.sourceText);
    EXPECT_EQ(a.targetText, b.targetText);
}

class TranslationTest : public ::testing::Test {
protected:
    TranslationTest() {
        spec_.data.train = {folder_.write("train.en", "a b\nb c\na c d\n"), folder_.write("train.de", "A B\nB C\nA C D\n")};
        spec_.data.valid = {folder_.write("valid.en", "a z\n\n"), folder_.write("valid.de", "A Z\nB\n")};
        spec_.data.tokenizer.minCount = 1;
    }

    RunData load() { return loadTranslation({spec_, {cache_, ""}, {}, maxLen_}); }
    std::string error() {
        return invalidInput([&] { load(); });
    }
    std::vector<std::string> cacheFiles() const {
        std::vector<std::string> files;
        for (const auto& entry : std::filesystem::directory_iterator(cache_))
            if (entry.is_regular_file()) files.push_back(entry.path().string());  // not those of the file index
        return files;
    }

    TempFolder folder_;
    std::string cache_ = folder_.file("cache");
    RunSpec spec_;
    std::int64_t maxLen_ = 10;
};

TEST_F(TranslationTest, EncodesAllSplitsWithVocabulariesOfTheTrainingSplit) {
    const RunData data = load();
    EXPECT_EQ(data.train.size(), 3);
    EXPECT_EQ(data.sourceTokenizer->size(), 8);
    EXPECT_THAT(data.train.source, ElementsAre(4, 5, 5, 6, 4, 6, 7));
    EXPECT_THAT(data.train.sourceBegin, ElementsAre(0, 2, 4, 7));
    EXPECT_THAT(data.train.sourceText, IsEmpty());
    EXPECT_THAT(data.valid.source, ElementsAre(4, kUnk)) << "z is not in the training text";
    EXPECT_THAT(data.valid.sourceBegin, ElementsAre(0, 2, 2)) << "an empty line is kept in evaluation";
    EXPECT_THAT(data.valid.targetText, ElementsAre("A Z", "B"));
    EXPECT_EQ(data.test.size(), 0);
    EXPECT_THAT(data.notes, IsEmpty());
    EXPECT_THAT(data.dataHashes, ElementsAre(sha256Hex("a b\nb c\na c d\n"), sha256Hex("A B\nB C\nA C D\n"),
                                             sha256Hex("a z\n\n"), sha256Hex("A Z\nB\n")));
}

TEST_F(TranslationTest, ReportsSizeAndUnknownTokensOfEverySplitAndSide) {
    const RunData fresh = load(), cached = load();
    ASSERT_EQ(fresh.reports.size(), 2U);
    EXPECT_EQ(
        fresh.reports[0].line(),
        "source vocabulary: words, 8 entries; train: 7 tokens in 3 lines, 100.00 % known, 0.00 % unknown, entries used: 4; "
        "valid: 2 tokens in 2 lines, 50.00 % known, 50.00 % unknown, entries used: 1");
    EXPECT_EQ(fresh.reports[1].side, "target");
    for (const std::size_t side : {0U, 1U}) EXPECT_EQ(cached.reports[side].json(), fresh.reports[side].json());
}

TEST_F(TranslationTest, TargetsThatNoDecodingWritesWholeAreCounted) {
    std::string target;
    for (int i = 0; i < 12; ++i) target += "A ";
    spec_.data.train = {folder_.write("s.en", "a\na b\n"), folder_.write("s.de", target + "\n" + target + "\n")};
    maxLen_ = 40;
    EXPECT_THAT(warningTexts(load().warnings), Contains(HasSubstr("train: 1 of 2 targets are longer than decoding writes")));
}

TEST_F(TranslationTest, TheTargetMayHaveATokenizerOfItsOwn) {
    spec_.data.tokenizer.target = {{"kind", "characters"}, {"lower", true}};
    const RunData data = load();
    EXPECT_EQ(data.sourceTokenizer->spec().kind, TokenizerKind::Words);
    EXPECT_EQ(data.targetTokenizer->spec().kind, TokenizerKind::Characters);
    EXPECT_THAT(data.targetTokenizer->tokens("A b"), ElementsAre("a", " ", "b"));
    EXPECT_EQ(load().targetTokenizer->hash(), data.targetTokenizer->hash());
}

TEST_F(TranslationTest, ATokenizerFromAFileIsNotTrainedAndItsHashCounts) {
    const RunData trained = load();
    saveTokenizers(trained, folder_.file("earlier"));
    spec_.data.tokenizer.file = folder_.file("earlier/source.json");
    spec_.data.tokenizer.target = {{"file", folder_.file("earlier/target.json")}};
    folder_.write("train.en", "z\nb c\na c d\n");
    const RunData data = load();
    EXPECT_EQ(data.sourceTokenizer->hash(), trained.sourceTokenizer->hash());
    EXPECT_EQ(data.targetTokenizer->hash(), trained.targetTokenizer->hash());
    EXPECT_THAT(data.train.source, ElementsAre(kUnk, 5, 6, 4, 6, 7));
    ASSERT_EQ(data.dataHashes.size(), 6U);
    EXPECT_EQ(data.dataHashes[4], trained.sourceTokenizer->hash());
    EXPECT_EQ(data.dataHashes[5], trained.targetTokenizer->hash());
    spec_.data.tokenizer.target = Json::object();
    spec_.data.tokenizer.shared = true;
    EXPECT_EQ(load().targetTokenizer->hash(), trained.sourceTokenizer->hash());
}

TEST_F(TranslationTest, AnUncasedVocabularyForCasedTextIsToldOf) {
    spec_.data.tokenizer.kind = TokenizerKind::WordPiece;
    spec_.data.tokenizer.vocab = folder_.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n");
    EXPECT_THAT(load().notes, Contains(HasSubstr("no entry has a capital letter")));
    spec_.data.tokenizer.lower = true;
    EXPECT_THAT(load().notes, IsEmpty());
}

TEST_F(TranslationTest, OneVocabularyForBothSidesIfShared) {
    spec_.data.tokenizer.shared = true;
    spec_.data.tokenizer.lower = true;
    const RunData data = load();
    EXPECT_EQ(data.sourceTokenizer, data.targetTokenizer);
    EXPECT_EQ(data.train.source, data.train.target);
}

TEST_F(TranslationTest, LeavesOutLongAndEmptyTrainingPairsAndSaysHowMany) {
    spec_.data.train = {folder_.write("long.en", "a b c d e\na\n\nb\na b c\n"),
                        folder_.write("long.de", "A\nA B C D\nC\nB\nA B C\n")};
    spec_.data.maxTokens = 4;  // with <eos>
    const RunData data = load();
    EXPECT_EQ(data.train.size(), 2);
    EXPECT_THAT(warningTexts(data.warnings),
                ElementsAre("train: 3 of 5 pairs left out: 1 with an empty side, 2 longer than 4 tokens with <eos>"));
    EXPECT_EQ(data.sourceTokenizer->size(), 9) << "vocabularies are of the whole training split";
}

TEST_F(TranslationTest, CutsEvaluationToTheModelsPositionsAndKeepsEveryPair) {
    spec_.data.valid = {folder_.write("v.en", "a b c d\na\n"), folder_.write("v.de", "A\nA B C D\n")};
    maxLen_ = 4;
    const RunData data = load();
    EXPECT_EQ(data.valid.size(), 2);
    EXPECT_THAT(data.valid.sourceBegin, ElementsAre(0, 3, 4));
    EXPECT_THAT(data.valid.targetBegin, ElementsAre(0, 1, 4));
    EXPECT_THAT(warningTexts(data.warnings),
                ElementsAre("valid: 1 sources and 1 targets of 2 pairs were cut to 3 tokens (dims.max_len)"));
}

TEST_F(TranslationTest, LimitTakesTheFirstPairs) {
    spec_.data.limit = 2;
    const RunData data = load();
    EXPECT_EQ(data.train.size(), 2);
    EXPECT_EQ(data.sourceTokenizer->size(), 7);
    EXPECT_THAT(data.notes, ElementsAre("train: the first 2 of 3 pairs are used (data.limit)"));
    EXPECT_EQ(data.dataHashes.front(), sha256Hex("a b\nb c\na c d\n")) << "hashes are of the files";
}

TEST_F(TranslationTest, UnequalLineCountsNameBoth) {
    spec_.data.train.target = folder_.write("short.de", "A\n");
    EXPECT_THAT(error(), HasSubstr("the source has 3 lines, the target 1 (data.train: "));
}

TEST_F(TranslationTest, EmptyAndMissingFiles) {
    spec_.data.valid = {folder_.write("empty.en", ""), folder_.write("empty.de", "")};
    EXPECT_THAT(error(), HasSubstr("the files are empty (data.valid"));
    spec_.data.valid = {folder_.file("absent.en"), spec_.data.valid.target};
    EXPECT_THAT(error(), HasSubstr("file not found"));
    spec_.data.valid = {"", spec_.data.train.target};
    EXPECT_THAT(error(), HasSubstr("no source file (data.valid)"));
    spec_.data.valid = {};
    spec_.data.train = {};
    EXPECT_THAT(error(), HasSubstr("no source file (data.train)"));
    spec_.data.train = {folder_.write("x.en", "\n\n"), folder_.write("x.de", "A\nB\n")};
    EXPECT_THAT(error(), HasSubstr("no word occurs"));
    spec_.data.train = {folder_.write("y.en", "a\n\n"), folder_.write("y.de", "\nB\n")};
    EXPECT_THAT(error(), HasSubstr("2 of 2 pairs left out"));
}

TEST_F(TranslationTest, CacheGivesTheSameData) {
    const RunData fresh = load();
    ASSERT_EQ(cacheFiles().size(), 2U);
    const auto written = std::filesystem::last_write_time(cacheFiles()[0]);
    const RunData cached = load();
    EXPECT_EQ(std::filesystem::last_write_time(cacheFiles()[0]), written);
    expectEqual(cached.train, fresh.train);
    expectEqual(cached.valid, fresh.valid);
    expectEqual(cached.test, fresh.test);
    EXPECT_EQ(cached.sourceTokenizer->hash(), fresh.sourceTokenizer->hash());
    EXPECT_EQ(cached.targetTokenizer->hash(), fresh.targetTokenizer->hash());
    EXPECT_EQ(cached.dataHashes, fresh.dataHashes);
}

// Whether the cache is really read shows in what a planted file says.
TEST_F(TranslationTest, CacheIsReallyUsed) {
    load();
    for (const std::string& path : cacheFiles()) {
        CacheRead read = readCacheFile(path);
        ASSERT_TRUE(read.sections);
        if (!read.sections->contains("notes")) continue;
        (*read.sections)["notes"] = R"(["from the cache"])";
        writeCacheFile(path, *read.sections);
    }
    EXPECT_THAT(load().notes, ElementsAre("from the cache"));
}

TEST_F(TranslationTest, CacheFollowsContentsAndSpec) {
    load();
    folder_.write("train.en", "a b\nb c\na c e\n");
    EXPECT_THAT(load().sourceTokenizer->tokens("e"), ElementsAre("e"));
    EXPECT_EQ(cacheFiles().size(), 4U);
    spec_.data.tokenizer.minCount = 2;
    EXPECT_EQ(load().sourceTokenizer->size(), 7);
    EXPECT_EQ(cacheFiles().size(), 6U);
    maxLen_ = 5;
    load();
    EXPECT_EQ(cacheFiles().size(), 7U) << "the tokenizers do not depend on the model's size";
}

TEST_F(TranslationTest, DamagedCacheIsMadeAgainWithANote) {
    const RunData fresh = load();
    for (const std::string& path : cacheFiles()) {
        const std::string bytes = testing_support::readBytes(path);
        for (const std::size_t at : {std::size_t{0}, std::size_t{9}, bytes.size() / 2, bytes.size() - 1}) {
            std::string damaged = bytes;
            damaged[at] = static_cast<char>(damaged[at] ^ 1);
            std::ofstream(path, std::ios::binary) << damaged;
            const RunData data = load();
            EXPECT_THAT(data.notes, ElementsAre(HasSubstr("is damaged"))) << path << " at " << at;
            expectEqual(data.train, fresh.train);
            EXPECT_EQ(testing_support::readBytes(path), bytes) << "made again, byte for byte";
        }
        for (const std::size_t size : {std::size_t{0}, std::size_t{20}, bytes.size() - 1}) {
            std::ofstream(path, std::ios::binary) << bytes.substr(0, size);
            EXPECT_THAT(load().notes, ElementsAre(HasSubstr("is damaged"))) << path << " cut to " << size;
        }
    }
    const auto files = cacheFiles();  // one under the other's name
    std::filesystem::copy_file(files[0], files[1], std::filesystem::copy_options::overwrite_existing);
    EXPECT_THAT(load().notes, ElementsAre(HasSubstr("is for other data")));
}

TEST_F(TranslationTest, CacheThatCannotBeWrittenIsANote) {
    cache_ = folder_.write("file-not-folder", "");
    const RunData data = load();
    EXPECT_EQ(data.train.size(), 3);
    EXPECT_THAT(data.notes, Contains(HasSubstr("could not be written")));
    cache_ = "";
    EXPECT_THAT(load().notes, IsEmpty()) << "no cache is wanted";
}

TEST_F(TranslationTest, StopsWhenAsked) {
    try {
        loadTranslation({spec_, {cache_, ""}, [] { return true; }, maxLen_});
        FAIL() << "not stopped";
    } catch (const Error& error) {
        EXPECT_EQ(error.problem(), "stopped");
    }
}

TEST_F(TranslationTest, TokenizersAreSavedForTranslatingLater) {
    const RunData data = load();
    saveTokenizers(data, folder_.file("tokenizer"));
    auto [source, target] = loadTokenizers(folder_.file("tokenizer"));
    EXPECT_EQ(source->hash(), data.sourceTokenizer->hash());
    EXPECT_EQ(target->hash(), data.targetTokenizer->hash());

    spec_.data.tokenizer.kind =
        TokenizerKind::SentencePiece;  // another attempt with the other kind must not find the first one's files
    spec_.data.tokenizer.vocabSize = 11;
    const RunData pieces = load();
    saveTokenizers(pieces, folder_.file("tokenizer"));
    std::tie(source, target) = loadTokenizers(folder_.file("tokenizer"));
    EXPECT_EQ(source->hash(), pieces.sourceTokenizer->hash());
    EXPECT_THAT(source->hash(), Not(data.sourceTokenizer->hash()));
}

TEST_F(TranslationTest, SentencePieceComesFromTheCacheToo) {
    spec_.data.tokenizer.kind = TokenizerKind::SentencePiece;
    spec_.data.tokenizer.vocabSize = 11;
    const RunData fresh = load(), cached = load();
    EXPECT_EQ(cached.sourceTokenizer->hash(), fresh.sourceTokenizer->hash());
    expectEqual(cached.train, fresh.train);
}

// Public numbers: 29,000 training pairs, 1,014 of validation, 1,000 of test_2016_flickr.
TEST(Multi30k, ReadsTheRealFiles) {
    const std::string folder = testing_support::realData("multi30k");
    if (folder.empty()) GTEST_SKIP() << "Multi30K is not here (HEDDLE_DATA)";
    const auto pair = [&](const std::string& split) {
        return ParallelFiles{folder + "/" + split + ".lc.norm.tok.en.gz", folder + "/" + split + ".lc.norm.tok.de.gz"};
    };
    const TempFolder temporary;
    RunSpec spec;
    spec.data.train = pair("train");
    spec.data.valid = pair("val");
    spec.data.test = pair("test_2016_flickr");
    spec.data.tokenizer.minCount = 2;
    const auto load = [&] { return loadTranslation({spec, {temporary.path(), ""}, {}, 128}); };
    const RunData fresh = load();
    EXPECT_EQ(fresh.train.size(), 29'000);
    EXPECT_EQ(fresh.valid.size(), 1'014);
    EXPECT_EQ(fresh.test.size(), 1'000);
    EXPECT_THAT(fresh.notes, IsEmpty());
    RecordProperty("vocabulary_en", std::to_string(fresh.sourceTokenizer->size()));
    RecordProperty("vocabulary_de", std::to_string(fresh.targetTokenizer->size()));
    std::cout << "Multi30K vocabularies: en " << fresh.sourceTokenizer->size() << ", de " << fresh.targetTokenizer->size()
              << "\n";
    const RunData cached = load();
    expectEqual(cached.train, fresh.train);
    for (std::size_t i = 0; i < 1'000; ++i)
        EXPECT_EQ(joinWords(splitWords(fresh.test.targetText[i], WordSplit::Whitespace), WordSplit::Whitespace),
                  fresh.test.targetText[i]);
}

}  // namespace
}  // namespace heddle
