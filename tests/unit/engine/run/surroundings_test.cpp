// SPDX-License-Identifier: Apache-2.0
#include "engine/run/surroundings.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Surroundings, ACommandIsQuotedForTheShell) {
    EXPECT_EQ(commandText({"heddle", "train", "s.json", "--set", "name=it's a test", ""}),
              "heddle train s.json --set 'name=it'\\''s a test' ''");
}

}  // namespace
}  // namespace heddle
