// SPDX-License-Identifier: Apache-2.0
// Files cut and flipped at random places must give examples or an Error, never anything else.
#include "engine/base/unicode.h"
#include "engine/data/batching/shuffle.h"
#include "engine/data/readers/corpus.h"
#include "engine/data/readers/idx.h"
#include "engine/data/readers/recognise.h"
#include "engine/data/readers/text_file.h"
#include "engine/data/vectors/word_vectors.h"
#include "tests/unit/engine/data/example_fixtures.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing_support::exampleFixtures;
using testing_support::TempFolder;

constexpr std::uint64_t kTries = 60;

/// One to four changes: bytes flipped or set to what parsers stumble over, cut ends, repeated and lost parts.
std::string damage(std::string bytes, ShuffleRandom& random) {
    static const std::string kStumble(
        "\0\t\n\r\"\\{}[]<>&;- \xEF\xFF\x80"
        "09.e",
        24);
    for (std::uint64_t changes = 1 + random.below(4); changes > 0 && !bytes.empty(); --changes) {
        const std::size_t at = random.below(bytes.size());
        switch (random.below(6)) {
        case 0: bytes.resize(at); break;
        case 1: bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8))); break;
        case 2: bytes.insert(at, bytes.substr(random.below(bytes.size()), 1 + random.below(40))); break;
        case 3: bytes.erase(at, 1 + random.below(20)); break;
        default: bytes[at] = kStumble[random.below(kStumble.size())];
        }
    }
    return bytes;
}

/// Runs an action that may throw Error alone; returns whether it did.
template <typename Action>
bool refused(Action action) {
    try {
        action();
        return false;
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidInput) << error.what();
        EXPECT_FALSE(findInvalidUtf8(error.what()).has_value()) << safeExcerpt(error.what()) << safeExcerpt(error.what(), 60);
        for (const char c : std::string(error.what())) EXPECT_FALSE(static_cast<unsigned char>(c) < 0x20) << error.what();
        return true;
    }
}

TEST(DamagedFiles, OfExamplesGiveExamplesOrAnError) {
    const TempFolder folder;
    std::int64_t errors = 0, read = 0;
    for (std::size_t i = 0; i < exampleFixtures().size(); ++i) {
        const auto& fixture = exampleFixtures()[i];
        ShuffleRandom random(1, i, 0);
        for (std::uint64_t k = 0; k < kTries; ++k) {
            const std::string path = folder.write("f", damage(fixture.bytes, random));
            (refused([&] { readExamples(path, {fixture.format, OnBadLine::Stop, {}}); }) ? errors : read) += 1;
            refused([&] {
                const ExampleFile file = readExamples(path, {fixture.format, OnBadLine::Skip, {}});
                const bool tags = exampleFormat(fixture.format).kind == ExampleFormat::Kind::Tags;
                for (const Example& example : file.examples)
                    EXPECT_TRUE(!tags || example.tags.empty() || example.tags.size() == example.words.size());
            });
            refused([&] { recogniseFormat(path); });
        }
    }
    EXPECT_GT(errors, 100);  // the damage is felt …
    EXPECT_GT(read, 100);    // … and is not all there is
}

TEST(DamagedFiles, OfNumbersAndSegmentsLikewise) {
    const TempFolder folder;
    const float values[] = {0.5F, -1.F, 3.F};
    const std::string raw(reinterpret_cast<const char*>(values), sizeof values);
    const std::vector<std::string> fixtures{
        std::string("\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x02", 16) + "abcdefgh",
        std::string("\0\0\x08\x01\0\0\0\x04", 8) + "abcd",
        "3 3\na 1 2 3\nb 0.5 -1e-3 2\n月 1 1 1\n",
        "the 0.1 0.2 0.3\nof 0.4 0.5 0.6\n",
        "2 3\na " + raw + "\nb " + raw + "\n",
        "<srcset a=\"b\">\n<doc docid=\"d\">\n<seg id=\"1\">a &amp; b</seg>\n<seg id=\"2\">c</seg>\n</doc>\n</srcset>\n",
        " = T = \n \n text \n \n = = S = = \n \n more \n",
    };
    for (std::size_t i = 0; i < fixtures.size(); ++i) {
        ShuffleRandom random(2, i, 0);
        for (std::uint64_t k = 0; k < 2 * kTries; ++k) {
            const std::string path = folder.write("f", damage(fixtures[i], random));
            refused([&] { readIdxImages(path); });
            refused([&] { readIdxLabels(path); });
            refused([&] {
                const WordVectors v = readWordVectors(path);
                EXPECT_EQ(v.values.size(), v.words.size() * static_cast<std::size_t>(v.dim));
            });
            ReadVectorsOptions skip;
            skip.onBadRow = OnBadLine::Skip;
            refused([&] { readWordVectors(path, skip); });
            refused([&] { readTextOrSgm(path); });
            refused([&] { readCorpus(path); });
            refused([&] { recogniseFormat(path); });
        }
    }
}

TEST(DamagedFiles, GzipLikewise) {
    const TempFolder folder;
    ShuffleRandom random(3, 0, 0);
    const auto& fixture = exampleFixtures().front();
    const std::string whole = testing_support::readBytes(folder.writeGzip("whole.gz", fixture.bytes));
    for (std::uint64_t k = 0; k < 4 * kTries; ++k) {
        const std::string path = folder.write("f", damage(whole, random));
        refused([&] { readExamples(path, {fixture.format, OnBadLine::Skip, {}}); });
        refused([&] { recogniseFormat(path); });
    }
}

}  // namespace
}  // namespace heddle
