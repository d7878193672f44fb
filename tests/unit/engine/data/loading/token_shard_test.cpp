// SPDX-License-Identifier: Apache-2.0
// Files of tokens as nanoGPT and modded-nanogpt write them.
#include "engine/data/readers/token_shard.h"
#include "engine/base/json.h"
#include "engine/data/batching/row_batches.h"
#include "engine/data/loading/run_data.h"
#include "engine/spec/catalogue.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {
namespace {

using testing::Contains;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing_support::invalidInput;
using testing_support::TempFolder;

std::string bytesOf(const std::vector<std::uint16_t>& tokens) {
    std::string bytes;
    for (const std::uint16_t token : tokens) {
        bytes.push_back(static_cast<char>(token & 0xFF));
        bytes.push_back(static_cast<char>(token >> 8));
    }
    return bytes;
}

std::string shardHeader(std::uint32_t magic, std::uint32_t version, std::uint32_t count) {
    std::string bytes;
    for (const std::uint32_t number : {magic, version, count})
        for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(number >> shift & 0xFF));
    bytes.resize(256 * 4, 0);
    return bytes;
}

TEST(TokenShard, BothFormsAreReadToTheLastToken) {
    const TempFolder folder;
    std::vector<std::uint16_t> tokens;
    for (int i = 0; i < 200'000; ++i) tokens.push_back(static_cast<std::uint16_t>(i * 7));  // more than a block of the reader
    const std::string plain = folder.write("train.bin", bytesOf(tokens));
    EXPECT_THAT(readTokenShard(plain, "tokens/nanogpt", 0).tokens, ElementsAreArray(tokens));
    EXPECT_EQ(readTokenShard(plain, "tokens/nanogpt", 5).tokens, (std::vector<std::uint16_t>{0, 7, 14, 21, 28}));
    const std::string headed = folder.write("shard.bin", shardHeader(20240520, 1, 200'000) + bytesOf(tokens));
    const TokenShard shard = readTokenShard(headed, "tokens/modded-nanogpt", 0);
    EXPECT_THAT(shard.tokens, ElementsAreArray(tokens));
    EXPECT_EQ(shard.sha256.size(), 64U);
}

TEST(TokenShard, WhatIsWrongIsNamed) {
    const TempFolder folder;
    const auto refusal = [&](const std::string& bytes, const std::string& format) {
        const std::string path = folder.write("bad.bin", bytes);
        return invalidInput([&] { readTokenShard(path, format, 0); });
    };
    const std::string three = bytesOf({1, 2, 3});
    EXPECT_THAT(refusal(three + "x", "tokens/nanogpt"), HasSubstr("7 bytes are no 16-bit numbers"));
    EXPECT_THAT(refusal("", "tokens/nanogpt"), HasSubstr("no tokens"));
    EXPECT_THAT(refusal(shardHeader(20240520, 1, 3) + three, "tokens/nanogpt"),
                HasSubstr("data.format to tokens/modded-nanogpt"));
    EXPECT_THAT(refusal(three, "tokens/modded-nanogpt"), HasSubstr("too few for the header"));
    EXPECT_THAT(refusal(shardHeader(20240520, 2, 3) + three, "tokens/modded-nanogpt"), HasSubstr("begins with 20240520 and 2"));
    EXPECT_THAT(refusal(shardHeader(20240520, 1, 4) + three, "tokens/modded-nanogpt"), HasSubstr("declares 4 tokens, but 3"));
    EXPECT_THAT(refusal(three, "tokens/nanogtp"), HasSubstr("did you mean \"tokens/nanogpt\""));
}

class TokenData : public testing::Test {
protected:
    TokenData() {
        const Json cases = readJsonFile(HEDDLE_SOURCE_DIR "/tests/unit/engine/data/tokenizers/cases/gpt2.json");
        tokenizer_ = folder_.write("tokenizer.json", cases.at("tokenizer").dump());
    }
    Json document() const {
        Json spec = asRunDocument(presetDocument("atinuke-text"));
        for (const std::string& assignment : std::vector<std::string>{
                 "data.task=causal_lm", "data.packing=blocks", "data.format=tokens/nanogpt", "dims.max_len=8",
                 "data.tokenizer.file=" + tokenizer_, "data.train.source=" + folder_.file("train.bin"),
                 "data.valid.source=" + folder_.file("train.bin")})
            applySet(spec, assignment);
        return spec;
    }
    static RunData load(const Json& document) { return loadRunData(RunSpec::parse(document, builtinCatalogue()), {}, {}); }

    TempFolder folder_;
    std::string tokenizer_;
};

TEST_F(TokenData, BlocksAreThoseOfTheText) {
    const auto tokenizer = readTokenizer(tokenizer_, {});
    std::vector<std::int32_t> ids;
    for (int line = 0; line < 4; ++line) {
        for (const std::int32_t id : tokenizer->encode("the loom weaves a line")) ids.push_back(id);
        ids.push_back(kEos);
    }
    std::vector<std::uint16_t> numbers;
    for (const std::int32_t id : ids) numbers.push_back(static_cast<std::uint16_t>(tokenizer->publisherId(id)));
    folder_.write("train.bin", bytesOf(numbers));
    const RunData made = load(document());

    std::string lines;
    for (int line = 0; line < 4; ++line) lines += "the loom weaves a line\n";
    Json text = document();
    applySet(text, "data.format=lines");
    for (const char* split : {"train", "valid"})
        applySet(text, std::string("data.") + split + ".source=" + folder_.write("lines.txt", lines));
    const RunData wanted = load(text);
    EXPECT_EQ(made.train.source, wanted.train.source);
    EXPECT_EQ(made.train.sourceBegin, wanted.train.sourceBegin);
    EXPECT_EQ(made.sourceTokenizer->hash(), wanted.sourceTokenizer->hash());
    EXPECT_EQ(made.dataHashes.size(), wanted.dataHashes.size());
    EXPECT_THAT(made.notes, Contains(HasSubstr(std::to_string(numbers.size()) + " tokens")));
    EXPECT_GT(made.train.size(), 2);
}

TEST_F(TokenData, WhatDoesNotFitIsRefused) {
    folder_.write("train.bin", bytesOf({1, 2, 60000}));
    EXPECT_THAT(invalidInput([&] { load(document()); }), HasSubstr("token 60000, at position 2"));
    const auto refusal = [&](const std::string& assignment) {
        Json spec = document();
        applySet(spec, assignment);
        return invalidInput([&] { load(spec); });
    };
    EXPECT_THAT(refusal("data.tokenizer.file=\"\""), HasSubstr("does not say which words"));
    EXPECT_THAT(refusal("data.packing=lines"), HasSubstr("have no lines"));
    EXPECT_THAT(refusal("data.split.test=0.1"), HasSubstr("no share is drawn"));
    EXPECT_THAT(refusal("data.min_words=3"), HasSubstr("min_words"));
}

}  // namespace
}  // namespace heddle
