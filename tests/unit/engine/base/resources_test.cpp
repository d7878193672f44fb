// SPDX-License-Identifier: Apache-2.0
#include "engine/base/resources.h"

#include "engine/base/error.h"
#include "engine/base/temporary_folder.h"
#include "engine/spec/variant_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace heddle {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::ThrowsMessage;

/// A folder named by HEDDLE_RESOURCES while it lives.
class OtherResources {
public:
    OtherResources() {
        fs::create_directories(folder() / "presets");
        ::setenv("HEDDLE_RESOURCES", folder().c_str(), 1);
    }
    ~OtherResources() { ::unsetenv("HEDDLE_RESOURCES"); }
    fs::path folder() const { return temporary_ / "resources"; }

private:
    TemporaryFolder temporary_;
};

TEST(Resources, AreFoundFromTheBuildFolder) {
    EXPECT_TRUE(fs::exists(resourcePath("presets/eau-base.json")));
    EXPECT_THAT(presetNames(), IsSupersetOf({"eau-base", "eau-full", "eau-only", "grc-only"}));
}

TEST(Resources, APresetIsFoundByThePapersOtherNameForGrc) {
    for (const char* name : {"grc-only", "bert-base+grc", "vit-tiny+grc"}) {
        std::string other = name;
        other.replace(other.find("grc"), 3, "gru");
        EXPECT_EQ(findPreset(other), name);
        EXPECT_EQ(VariantSpec::parse({{"preset", other}}, builtinCatalogue()).resolvedTree(),
                  VariantSpec::parse({{"preset", name}}, builtinCatalogue()).resolvedTree());
    }
    EXPECT_EQ(findPreset("star-gru"), "star-gru") << "a recurrent unit indeed";
    EXPECT_EQ(findPreset("eau-gru"), std::nullopt);
}

TEST(Resources, TheVariableComesFirst) {
    const OtherResources other;
    std::ofstream(other.folder() / "presets" / "mine.json") << R"({"dims":{"d":64}})";
    EXPECT_THAT(presetNames(), ::testing::ElementsAre("mine"));
    EXPECT_EQ(VariantSpec::parse(R"({"preset":"mine"})"_json, builtinCatalogue()).resolve().dims.d, 64);
}

TEST(Resources, WhatIsMissingIsNamedWithThePlaces) {
    const OtherResources other;
    EXPECT_THAT([] { resourcePath("sample/nothing.txt"); },
                ThrowsMessage<Error>(AllOf(HasSubstr("sample/nothing.txt"), HasSubstr(other.folder().string()),
                                           HasSubstr("share/heddle"), HasSubstr("set HEDDLE_RESOURCES"))));
}

TEST(Presets, UnknownNameSuggests) {
    EXPECT_THAT([] { presetDocument("eau-bose"); }, ThrowsMessage<Error>(HasSubstr("did you mean \"eau-base\"?")));
}

}  // namespace
}  // namespace heddle
