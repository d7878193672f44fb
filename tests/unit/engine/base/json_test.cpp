// SPDX-License-Identifier: Apache-2.0
#include "engine/base/json.h"

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/sha256.h"
#include "engine/base/temporary_folder.h"
#include "tests/unit/engine/spec/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>

namespace heddle {
namespace {

using ::testing::HasSubstr;

// RFC 8785, appendix B.
TEST(CanonicalJson, NumbersOfTheRfc) {
    const std::vector<std::pair<std::uint64_t, std::string>> vectors{
        {0x0000000000000000, "0"},
        {0x8000000000000000, "0"},
        {0x0000000000000001, "5e-324"},
        {0x8000000000000001, "-5e-324"},
        {0x7fefffffffffffff, "1.7976931348623157e+308"},
        {0xffefffffffffffff, "-1.7976931348623157e+308"},
        {0x4340000000000000, "9007199254740992"},
        {0xc340000000000000, "-9007199254740992"},
        {0x4430000000000000, "295147905179352830000"},
        {0x44b52d02c7e14af5, "9.999999999999997e+22"},
        {0x44b52d02c7e14af6, "1e+23"},
        {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
        {0x444b1ae4d6e2ef4e, "999999999999999700000"},
        {0x444b1ae4d6e2ef4f, "999999999999999900000"},
        {0x444b1ae4d6e2ef50, "1e+21"},
        {0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
        {0x3eb0c6f7a0b5ed8d, "0.000001"},
        {0x41b3de4355555553, "333333333.3333332"},
        {0x41b3de4355555554, "333333333.33333325"},
        {0x41b3de4355555555, "333333333.3333333"},
        {0x41b3de4355555556, "333333333.3333334"},
        {0x41b3de4355555557, "333333333.33333343"},
        {0xbecbf647612f3696, "-0.0000033333333333333333"},
        {0x43143ff3c1cb0959, "1424953923781206.2"},
    };
    for (const auto& [bits, text] : vectors) EXPECT_EQ(canonicalJson(std::bit_cast<double>(bits)), text);
}

TEST(CanonicalJson, NotFiniteIsRefused) {
    EXPECT_THROW(canonicalJson(std::numeric_limits<double>::quiet_NaN()), Error);
    EXPECT_THROW(canonicalJson(Json{{"a", std::numeric_limits<double>::infinity()}}), Error);
}

TEST(CanonicalJson, EqualNumbersGiveEqualText) {
    EXPECT_EQ(canonicalJson(Json::parse("[1000, 1e3, 1000.0, 1000.000]")), "[1000,1000,1000,1000]");
    EXPECT_EQ(canonicalJson(Json::parse("-0")), "0");
    EXPECT_EQ(canonicalJson(Json::parse("-17")), "-17");
    EXPECT_EQ(canonicalJson(std::numeric_limits<std::uint64_t>::max()), "18446744073709552000");
    EXPECT_EQ(canonicalJson(std::numeric_limits<std::int64_t>::min()), "-9223372036854776000");
}

// RFC 8785, section 3.2.2.
TEST(CanonicalJson, SampleOfTheRfc) {
    const Json sample = parseJson(R"({
        "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
        "literals": [null, true, false]})",
                                  "sample");
    EXPECT_EQ(canonicalJson(sample), R"({"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],)"
                                     "\"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
}

// RFC 8785, section 3.2.3: by UTF-16 code units, so that a surrogate pair stands before U+FB33.
TEST(CanonicalJson, SortsKeysByUtf16) {
    const Json sample =
        parseJson(R"({"\u20ac": 5, "\r": 1, "\ufb33": 7, "1": 2, "\ud83d\ude00": 6, "\u0080": 3, "\u00f6": 4})", "");
    EXPECT_EQ(canonicalJson(sample), "{\"\\r\":1,\"1\":2,\"\u0080\":3,\"ö\":4,\"€\":5,\"😀\":6,\"\ufb33\":7}");
}

TEST(CanonicalJson, RefusesMalformedText) {
    EXPECT_THROW(canonicalJson(Json("\xff")), Error);
    EXPECT_THROW(canonicalJson(Json("\xc0\x80")), Error);      // overlong
    EXPECT_THROW(canonicalJson(Json("\xed\xa0\x80")), Error);  // a surrogate
    EXPECT_THROW(canonicalJson(Json("ab\xe2\x82")), Error);    // cut off
    EXPECT_EQ(canonicalJson(Json("\x7f\xf0\x9f\x98\x80")), "\"\x7f\xf0\x9f\x98\x80\"");
}

TEST(ParseJson, NamesLineAndColumn) {
    const auto message = whyRefused([] { parseJson("{\n  \"a\": 1,\n  \"b\": oops\n}", "run.json"); });
    EXPECT_THAT(message, HasSubstr("run.json, line 3, column 8"));
    EXPECT_THAT(whyRefused([] { parseJson("", "x"); }), HasSubstr("line 1, column 1"));
    EXPECT_THAT(whyRefused([] { parseJson("[1, 2", "x"); }), HasSubstr("line 1, column 6"));
}

TEST(ParseJson, DepthIsBounded) {
    const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    EXPECT_NO_THROW(parseJson(nested(64), "x"));
    EXPECT_THAT(whyRefused([&] { parseJson(nested(65), "x"); }), HasSubstr("deeper than 64 levels (x, line 1, column 65)"));
    EXPECT_THROW(parseJson(std::string(1'000'000, '['), "x"), Error);
    EXPECT_NO_THROW(parseJson('"' + std::string(200, '[') + "\\\"[" + '"', "x"));  // brackets in a string do not count
}

TEST(ParseJson, RefusesDuplicateKeys) {
    EXPECT_THAT(whyRefused([] { parseJson(R"({"a":{"k":1,"k":2}})", "x"); }), HasSubstr("key \"k\" appears twice"));
    EXPECT_NO_THROW(parseJson(R"({"k":{"k":[{"k":1},{"k":2}]},"l":{"k":1}})", "x"));
}

TEST(ParseJson, RefusesWhatIsNotJson) {
    for (const char* text : {"NaN", "{'a':1}", "[1,]", "{\"a\":1}x", "\"\xff\"", "1e999", "// comment\n1", "\"\\ud800\""})
        EXPECT_THROW(parseJson(text, "x"), Error) << text;
}

TEST(ReadJsonFile, ReadsFilesAndNamesThemInErrors) {
    const TemporaryFolder folder;
    const std::string good = folder / "good.json", bad = folder / "bad.json";
    writeFileAtomically(good, "{\"a\": [1, 2.5]}");
    writeFileAtomically(bad, "{\"a\": }");
    EXPECT_EQ(readJsonFile(good), Json({{"a", {1, 2.5}}}));
    EXPECT_THAT(whyRefused([&] { readJsonFile(bad); }), HasSubstr(bad + ", line 1, column 7"));
    EXPECT_THAT(whyRefused([] { readJsonFile("/nonexistent.json"); }), HasSubstr("no such file (/nonexistent.json)"));
    EXPECT_THAT(whyRefused([] { readJsonFile("/tmp"); }), HasSubstr("not a regular file"));
}

// FIPS 180-2, appendix B, and the empty text.
TEST(Sha256, StandardVectors) {
    EXPECT_EQ(sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    const std::string million(1'000'000, 'a');
    EXPECT_EQ(sha256Hex(million), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    const std::string large = million + million + million;  // more than one block of the file reader
    const TemporaryFolder folder;
    writeFileAtomically(folder / "large", large);
    EXPECT_EQ(sha256OfFile(folder / "large"), sha256Hex(large));
    EXPECT_THROW(sha256OfFile("/nonexistent"), Error);
}

}  // namespace
}  // namespace heddle
