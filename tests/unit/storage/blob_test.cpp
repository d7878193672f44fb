// SPDX-License-Identifier: Apache-2.0
#include "storage/blob.h"

#include "storage/records.h"
#include "storage/snapshot_codec.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace heddle::storage {
namespace {

TEST(Half, EveryHalfSurvivesTheWayThroughFloat) {
    for (std::uint32_t half = 0; half <= 0xffff; ++half) {
        float value = floatFromHalf(static_cast<std::uint16_t>(half));
        bool isNaN = (half & 0x7c00) == 0x7c00 && (half & 0x3ff) != 0;
        ASSERT_EQ(std::isnan(value), isNaN) << half;
        std::uint32_t expected = isNaN ? half | 0x200 : half;  // a signalling NaN comes back quiet
        ASSERT_EQ(halfFromFloat(value), expected) << half;
    }
}

TEST(Half, KnownValues) {
    EXPECT_EQ(floatFromHalf(0x3c00), 1.0F);
    EXPECT_EQ(floatFromHalf(0xc000), -2.0F);
    EXPECT_EQ(floatFromHalf(0x7bff), 65504.0F);
    EXPECT_EQ(floatFromHalf(0x0001), std::ldexp(1.0F, -24));
    EXPECT_EQ(floatFromHalf(0x0400), std::ldexp(1.0F, -14));
    EXPECT_TRUE(std::signbit(floatFromHalf(0x8000)));
    EXPECT_EQ(halfFromFloat(65519.0F), 0x7bff);
    EXPECT_EQ(halfFromFloat(65520.0F), 0x7c00);
    EXPECT_EQ(halfFromFloat(std::numeric_limits<float>::max()), 0x7c00);
    EXPECT_EQ(halfFromFloat(-std::numeric_limits<float>::infinity()), 0xfc00);
    EXPECT_EQ(halfFromFloat(std::numeric_limits<float>::denorm_min()), 0);
}

/// Between two neighbouring halves there is one change, at their middle, and the middle itself goes to the even one: with
/// monotony this is round to nearest even for every float.
TEST(Half, RoundsToNearestEvenBetweenAllNeighbours) {
    for (std::uint32_t low = 0; low < 0x7bff; ++low) {
        float a = floatFromHalf(static_cast<std::uint16_t>(low)), b = floatFromHalf(static_cast<std::uint16_t>(low + 1));
        float middle = a + (b - a) / 2;  // exact
        ASSERT_EQ(halfFromFloat(middle), low % 2 == 0 ? low : low + 1) << low;
        ASSERT_EQ(halfFromFloat(std::nextafter(middle, 0.0F)), low) << low;
        ASSERT_EQ(halfFromFloat(std::nextafter(middle, 1e9F)), low + 1) << low;
        ASSERT_EQ(halfFromFloat(-middle), 0x8000 | (low % 2 == 0 ? low : low + 1)) << low;
    }
}

TEST(Checksum, IsTheUsualCrc32) {
    std::string text = "123456789";
    EXPECT_EQ(checksum({}, Bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size())), 0xcbf43926U);
}

TEST(Checksum, NoticesEveryBitOfHeaderAndBlob) {
    std::array<std::int64_t, 2> header{7, -1};
    Blob blob{1, 2, 3, 4, 5};
    std::uint32_t right = checksum(header, blob);
    for (std::size_t bit = 0; bit < 128; ++bit) {
        auto changed = header;
        changed[bit / 64] ^= std::int64_t{1} << (bit % 64);
        EXPECT_NE(checksum(changed, blob), right);
    }
    for (std::size_t bit = 0; bit < blob.size() * 8; ++bit) {
        Blob changed = blob;
        changed[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
        EXPECT_NE(checksum(header, changed), right);
    }
    EXPECT_NE(checksum(header, {}), right);
}

TEST(Deflate, ComesBackAndIsRefusedWhenWrong) {
    Blob plain(10000);
    for (std::size_t i = 0; i < plain.size(); ++i) plain[i] = static_cast<std::uint8_t>(i % 7);
    Blob packed = deflated(plain);
    EXPECT_LT(packed.size(), plain.size() / 10);
    EXPECT_EQ(inflated(packed, plain.size()), plain);
    EXPECT_THROW(inflated(packed, plain.size() + 1), StorageError);
    EXPECT_THROW(inflated(packed, plain.size() - 1), StorageError);
    EXPECT_THROW(inflated(packed, std::size_t{1} << 40), StorageError);  // before anything is allocated
    packed[20] ^= 1;
    EXPECT_THROW(inflated(packed, plain.size()), StorageError);
}

TEST(MapCodec, KeepsValuesToHalfPrecisionAndChoosesTheSmallerForm) {
    MapRecord map;
    map.heads = 2;
    map.rows = 3;
    map.columns = 4;
    for (int i = 0; i < 24; ++i) map.values.push_back(1.0F / static_cast<float>(3 + i));
    EncodedMap encoded = encodeMap(map);
    std::vector<float> back = decodeMap(map, encoded.codec, encoded.checksum, encoded.data);
    ASSERT_EQ(back.size(), map.values.size());
    for (std::size_t i = 0; i < back.size(); ++i) EXPECT_NEAR(back[i], map.values[i], map.values[i] / 2048);

    map.values.assign(24, 0.5F);
    EXPECT_EQ(encodeMap(map).codec, "f16+zlib");
    map.heads = map.rows = map.columns = 1;
    map.values = {0.25F};
    encoded = encodeMap(map);
    EXPECT_EQ(encoded.codec, "f16");
    EXPECT_EQ(decodeMap(map, encoded.codec, encoded.checksum, encoded.data), map.values);
}

TEST(Tokens, ComeBackAsTheyWere) {
    std::vector<std::string> tokens{"", "ein", "\"Hund\"", "ü", "\\", "\n", "</s>"};
    EXPECT_EQ(tokensFromJson(tokensToJson(tokens)), tokens);
    EXPECT_EQ(tokensFromJson(tokensToJson({"\xff"})), std::vector<std::string>{"\xef\xbf\xbd"});
    EXPECT_EQ(tokensFromJson("{}"), std::nullopt);
    EXPECT_EQ(tokensFromJson("[1]"), std::nullopt);
    EXPECT_EQ(tokensFromJson("["), std::nullopt);
}

}  // namespace
}  // namespace heddle::storage
