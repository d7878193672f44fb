// SPDX-License-Identifier: Apache-2.0
// Length limits of user-supplied texts.
#include "engine/base/text_limits.h"

#include "engine/spec/catalogue.h"
#include "engine/spec/run_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(TextLimits, CountCharacters) {
    std::string name;
    for (std::size_t i = 0; i < kMaxNameCharacters; ++i) name += "ü";
    EXPECT_NO_THROW(requireShortName(name, "run"));
    EXPECT_THROW(requireShortName(name + "x", "run"), Error);
    EXPECT_NO_THROW(requireShortTag(std::string(kMaxTagCharacters, 'x'), "run"));
    EXPECT_THROW(requireShortTag(std::string(kMaxTagCharacters + 1, 'x'), "run"), Error);
    EXPECT_NO_THROW(requireShortNote(std::string(kMaxNoteBytes, 'x'), "run"));
    EXPECT_THROW(requireShortNote(std::string(kMaxNoteBytes + 1, 'x'), "run"), Error);
}

TEST(TextLimits, ARunNameIsCheckedWhereItsSpecIs) {
    const auto parse = [](std::size_t characters) {
        RunSpec::parse({{"variant", {{"preset", "eau-base"}}}, {"name", std::string(characters, 'x')}}, builtinCatalogue());
    };
    EXPECT_NO_THROW(parse(200));
    EXPECT_THAT([&] { parse(201); }, testing::Throws<Error>(testing::Property(&Error::code, ErrorCode::InvalidInput)));
    EXPECT_THAT([&] { parse(201); },
                testing::ThrowsMessage<Error>(testing::AllOf(testing::HasSubstr("201 characters"), testing::HasSubstr("200"))));
}

}  // namespace
}  // namespace heddle
