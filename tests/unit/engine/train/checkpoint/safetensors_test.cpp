// SPDX-License-Identifier: Apache-2.0
#include "engine/train/checkpoint/safetensors.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

namespace heddle {
namespace {

std::string bytesOf(const NamedTensors& tensors) {
    const SafetensorsImage image(tensors);
    std::string bytes;
    for (const auto part : image.parts()) bytes += part;
    return bytes;
}

/// A file with this header and `dataBytes` zeros, the length field right unless stated.
std::string file(std::string header, std::size_t dataBytes) {
    while (header.size() % 8 != 0) header += ' ';
    std::string bytes;
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xFF);
    return bytes + header + std::string(dataBytes, '\0');
}

std::string refusal(const std::string& bytes) {
    try {
        parseSafetensors(bytes, "x.safetensors");
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidInput);
        EXPECT_EQ(error.where(), "x.safetensors");
        return error.problem();
    }
    return "accepted";
}

TEST(Safetensors, RoundTripKeepsEveryBit) {
    const auto odd = at::arange(12, at::kFloat).view({3, 4}).t();  // not contiguous
    const NamedTensors tensors{{"w", odd},
                               {"b", at::tensor({-0.0F, std::numeric_limits<float>::denorm_min()})},
                               {"ids", at::tensor({std::int64_t{1} << 62, std::int64_t{-1}})},
                               {"half", at::arange(5, at::kFloat).to(at::kBFloat16)},
                               {"none", at::zeros({0, 3})},
                               {"scalar", at::full({}, 7.0)}};
    const auto read = parseSafetensors(bytesOf(tensors), "x");
    ASSERT_EQ(read.size(), tensors.size());
    for (const auto& [name, tensor] : tensors) {
        EXPECT_EQ(read.at(name).sizes(), tensor.sizes()) << name;
        EXPECT_EQ(read.at(name).scalar_type(), tensor.scalar_type()) << name;
        EXPECT_TRUE(at::equal(read.at(name), tensor)) << name;
    }
    EXPECT_EQ(bytesOf(read), bytesOf(tensors));
    EXPECT_EQ(bytesOf(tensors).size(), SafetensorsImage(tensors).bytes());
}

TEST(Safetensors, HasTheFormatOfTheSpecification) {
    const auto bytes = bytesOf({{"b", at::ones({1})}, {"a", at::zeros({2}, at::kLong)}});
    const std::string header =
        R"({"a":{"data_offsets":[0,16],"dtype":"I64","shape":[2]},"b":{"data_offsets":[16,20],"dtype":"F32","shape":[1]}})";
    EXPECT_EQ(static_cast<unsigned char>(bytes[0]) % 8, 0);
    EXPECT_EQ(bytes.substr(8, header.size()), header);
    EXPECT_EQ(bytes.substr(bytes.size() - 4), std::string("\0\0\x80\x3F", 4));
}

TEST(Safetensors, RefusesDamagedFiles) {
    using testing::HasSubstr;
    const std::string good = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
    EXPECT_EQ(refusal(file(good, 8)), "accepted");
    EXPECT_THAT(refusal(""), HasSubstr("too short"));
    EXPECT_THAT(refusal(file(good, 8).substr(0, 40)), HasSubstr("truncated"));
    EXPECT_THAT(refusal(file(good, 7)), HasSubstr("the length of the data differs"));
    EXPECT_THAT(refusal(file(good, 9)), HasSubstr("the length of the data differs"));
    EXPECT_THAT(refusal(std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF{}", 10)), HasSubstr("100 MB"));
    EXPECT_THAT(refusal(file("[1]", 0)), HasSubstr("not an object"));
    EXPECT_THAT(refusal(file("{\"a\":", 0)), HasSubstr("not JSON"));
    EXPECT_THAT(refusal(file(std::string(64, '[') + std::string(64, ']'), 0)), HasSubstr("too deep"));
    EXPECT_THAT(
        refusal(file(
            R"({"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})",
            0)),
        HasSubstr("twice"));
    EXPECT_THAT(refusal(file(R"({"a":{"dtype":"F99","shape":[2],"data_offsets":[0,8]}})", 8)), HasSubstr("dtype"));
    EXPECT_THAT(refusal(file(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8)), HasSubstr("do not fit"));
    EXPECT_THAT(refusal(file(R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", 8)), HasSubstr("shape"));
    EXPECT_THAT(refusal(file(R"({"a":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}})", 8)), HasSubstr("shape"));
    EXPECT_THAT(refusal(file(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8)), HasSubstr("do not fit"));
    EXPECT_THAT(refusal(file(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0]}})", 8)), HasSubstr("offsets"));
    EXPECT_THAT(refusal(file(R"({"a":{"dtype":"F32","shape":[2]}})", 8)), HasSubstr("exactly"));
    EXPECT_THAT(refusal(file(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}})", 0)),
                HasSubstr("do not fit"));
    EXPECT_THAT(refusal(file(R"({"a":{"dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,0]}})", 0)),
                HasSubstr("shape"));
}

TEST(Safetensors, RefusesOverlapsAndHoles) {
    const auto two = [](const std::string& first, const std::string& second) {
        return R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + first +
               R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + second + "}}";
    };
    EXPECT_EQ(refusal(file(two("[4,8]", "[0,4]"), 8)), "accepted");  // order in the header is free
    EXPECT_THAT(refusal(file(two("[0,4]", "[2,6]"), 6)), testing::HasSubstr("overlap"));
    EXPECT_THAT(refusal(file(two("[0,4]", "[0,4]"), 4)), testing::HasSubstr("overlap"));
    EXPECT_THAT(refusal(file(two("[0,4]", "[5,9]"), 9)), testing::HasSubstr("leave a gap"));
    EXPECT_THAT(refusal(file(two("[1,5]", "[5,9]"), 9)), testing::HasSubstr("leave a gap"));
}

TEST(Safetensors, ReadsFilesOfOtherWriters) {
    const std::string header = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
    const float numbers[] = {1.5F, -2};
    const std::string data(reinterpret_cast<const char*>(numbers), sizeof(numbers));
    for (std::size_t blanks = 0; blanks < 8; ++blanks) {  // only some writers pad the header
        const std::string text = header + std::string(blanks, ' ');
        const std::string bytes = static_cast<char>(text.size()) + std::string(7, '\0') + text + data;
        EXPECT_TRUE(at::equal(parseSafetensors(bytes, "x").at("a"), at::tensor({1.5F, -2.0F}))) << blanks;
        EXPECT_NE(refusal(bytes.substr(0, bytes.size() - 1)), "accepted") << blanks;
        EXPECT_NE(refusal(bytes + "x"), "accepted") << blanks;
    }
    for (const char* type : {"I8", "I16", "U16", "U32", "U64", "F8_E4M3", "F8_E5M2", "C64"}) {
        const std::size_t size = type[1] == '8' ? 1 : type[1] == '1' ? 2 : type[1] == '3' ? 4 : 8;
        const std::string entry = R"({"a":{"dtype":")" + std::string(type) + R"(","shape":[1],"data_offsets":[0,)";
        EXPECT_EQ(refusal(file(entry + std::to_string(size) + "]}}", size)), "accepted") << type;
    }
}

TEST(Safetensors, EveryCutIsNoticed) {
    const auto bytes = bytesOf({{"a", at::ones({3, 5})}, {"b", at::ones({7}, at::kDouble)}});
    for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_NE(refusal(bytes.substr(0, size)), "accepted") << size;
}

TEST(Safetensors, RefusesWhatIsNotARegularFile) {
    EXPECT_THROW(readSafetensors("/dev/zero"), Error);
    EXPECT_THROW(readSafetensors("/"), Error);
    EXPECT_THROW(readSafetensors("/nowhere/x.safetensors"), Error);
}

TEST(NamedTensors, CopyIsAllOrNothing) {
    const NamedTensors target{{"a", at::zeros({2})}, {"b", at::zeros({3})}};
    EXPECT_THROW(copyInto(target, {{"a", at::ones({2})}}, "x"), Error);
    EXPECT_THROW(copyInto(target, {{"a", at::ones({2})}, {"b", at::ones({4})}}, "x"), Error);
    EXPECT_THROW(copyInto(target, {{"a", at::ones({2})}, {"b", at::ones({3}, at::kDouble)}}, "x"), Error);
    EXPECT_THROW(copyInto(target, {{"a", at::ones({2})}, {"b", at::ones({3})}, {"c", at::ones({1})}}, "x"), Error);
    EXPECT_EQ(target.at("a").sum().item<float>(), 0);
    copyInto(target, {{"a", at::ones({2})}, {"b", at::ones({3})}}, "x");
    EXPECT_EQ(target.at("b").sum().item<float>(), 3);
}

}  // namespace
}  // namespace heddle
