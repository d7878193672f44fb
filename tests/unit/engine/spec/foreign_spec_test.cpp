// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/foreign_spec.h"

#include "engine/analysis/run_group.h"
#include "engine/base/error.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/run_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

ForeignSpec soap(const std::string& file) {
    ForeignSpec spec;
    spec.name = "soap-1";
    spec.seed = 1;
    spec.group = "soap";
    spec.config = {{"lr", 0.5}};
    spec.file = file;
    spec.format = "csv";
    spec.sha256 = file + "'s hash";
    spec.run = "one";
    return spec;
}

std::string keyOf(const ForeignSpec& spec) {
    return groupKey(spec.toJson().dump(), "any", [] { return std::vector<std::string>{}; });
}

TEST(ForeignSpec, IsReadAsItWasWritten) {
    const ForeignSpec spec = soap("a.csv");
    const auto read = foreignSpec(spec.toJson().dump());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->toJson(), spec.toJson());
    ForeignSpec bare = spec;
    bare.seed.reset();
    bare.group = bare.name = "";
    EXPECT_FALSE(bare.toJson().contains("seed"));
    EXPECT_EQ(foreignSpec(bare.toJson())->toJson(), bare.toJson());
}

TEST(ForeignSpec, TakesNoDamagedAndNoOwnSpecForOne) {
    for (const std::string text :
         {"", "null", R"({"schema":1})", R"({"schema":"heddle.foreign/1"})",
          R"({"schema":"heddle.foreign/1","config":[],"source":{"file":"","format":"","sha256":"","run":""}})",
          R"({"schema":"heddle.foreign/1","config":{},"source":{"file":3,"format":"","sha256":"","run":""}})",
          R"("heddle.foreign/1")", R"({"schema":"heddle.foreign/1")"})
        EXPECT_FALSE(foreignSpec(text)) << text;
}

TEST(ForeignSpec, GroupsByWhatTheUserDeclares) {
    const ForeignSpec one = soap("a.csv");
    ForeignSpec other = soap("b.csv");
    other.name = "soap-2";
    other.seed = 2;
    EXPECT_EQ(keyOf(one), keyOf(other)) << "a declared group holds over files";
    EXPECT_EQ(keyOf(one), plannedKey(other.toJson().dump()));
    other.config["lr"] = 0.25;
    EXPECT_NE(keyOf(one), keyOf(other));
    ForeignSpec alone = soap("a.csv"), stranger = soap("b.csv");
    alone.group = stranger.group = "";
    EXPECT_NE(keyOf(alone), keyOf(stranger)) << "undeclared, runs of two files have nothing to do with each other";
    EXPECT_TRUE(keyOf(alone).starts_with("foreign "));
}

TEST(ForeignSpec, CannotBeTrained) {
    try {
        RunSpec::parse(soap("a.csv").toJson(), builtinCatalogue());
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Usage);
        EXPECT_THAT(error.problem(), testing::HasSubstr("imported from a.csv; it has no weights"));
    }
    EXPECT_NO_THROW(requireOwn(std::string(R"({"schema":1})"), "run"));
}

}  // namespace
}  // namespace heddle
