// SPDX-License-Identifier: Apache-2.0
#include "engine/run/surroundings.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Surroundings, AreReadBackFromAContext) {
    const Surroundings all{{"heddle", "train", "a b.json"}, "/work", "0123456789012345678901234567890123456789", true};
    Json context = surroundingsJson(all);
    context["threads"] = 2;
    EXPECT_EQ(surroundingsIn(context.dump()), all);
    EXPECT_EQ(surroundingsJson({}), Json::object()) << "what is not known is not stated";
}

TEST(Surroundings, OtherFormsCountAsUnknown) {
    for (const char* context : {"", "no JSON", "[]", R"({"command":"x","folder":7,"git":"main"})",
                                R"({"command":[1],"git":{"commit":1,"dirty":"yes"}})"})
        EXPECT_EQ(surroundingsIn(context), Surroundings{}) << context;
}

TEST(Surroundings, ACommandIsQuotedForTheShell) {
    EXPECT_EQ(commandText({"heddle", "train", "s.json", "--set", "name=it's a test", ""}),
              "heddle train s.json --set 'name=it'\\''s a test' ''");
}

}  // namespace
}  // namespace heddle
