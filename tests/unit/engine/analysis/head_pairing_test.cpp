// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/head_pairing.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

PairedModel model(const char* id, std::uint64_t seed, const std::string& variant = R"({"preset":"eau-full"})",
                  const std::string& train = "{}") {
    return {id, {}, R"({"schema":1,"variant":)" + variant + R"(,"train":)" + train + "}", seed};
}

TEST(HeadPairing, HeadsOfOneSeedAndShapeCorrespond) {
    EXPECT_EQ(headPairing(model("a", 1), model("b", 1)), HeadPairing::OneSeed);
    EXPECT_EQ(headPairing(model("a", 1), model("b", 1, R"({"preset":"eau-base"})")), HeadPairing::OneSeed)
        << "other blocks in the same sublayers";
    EXPECT_EQ(headPairing(model("a", 1), model("b", 2)), HeadPairing::OtherSeeds);
    EXPECT_TRUE(headsCorrespond(HeadPairing::OneSeed));
    EXPECT_FALSE(headsCorrespond(HeadPairing::OtherSeeds));
}

TEST(HeadPairing, AnEqualSeedOfAnotherShapeDoesNot) {
    for (const char* variant :
         {R"({"preset":"eau-full","dims":{"heads":4}})", R"({"preset":"eau-full","dims":{"layers_enc":2}})",
          R"({"preset":"eau-full","dims":{"d":256}})", R"({"preset":"bert-base"})"})
        EXPECT_EQ(headPairing(model("a", 1), model("b", 1, variant)), HeadPairing::OtherShapes) << variant;
    EXPECT_FALSE(headsCorrespond(HeadPairing::OtherShapes));
    PairedModel fork = model("b", 1, R"({"preset":"eau-full","dims":{"layers_enc":2}})");
    fork.lineage = "a";
    EXPECT_EQ(headPairing(model("a", 1), fork), HeadPairing::OtherShapes) << "a fork may have other layers";
}

TEST(HeadPairing, ForksAndStepsOfOneRunCorrespond) {
    PairedModel fork = model("b", 2), other = model("c", 3);
    fork.lineage = "a";
    EXPECT_EQ(headPairing(model("a", 1), fork), HeadPairing::CommonBeginning);
    other.lineage = "a";
    EXPECT_EQ(headPairing(fork, other), HeadPairing::CommonBeginning);
    EXPECT_EQ(headPairing(model("a", 1), model("a", 1)), HeadPairing::OneRun);
}

TEST(HeadPairing, AnEqualSeedAfterOtherWeightsDoesNot) {
    const PairedModel tuned = model("b", 1, R"({"preset":"eau-full"})", R"({"start":{"checkpoint":"/runs/x"}})");
    EXPECT_EQ(headPairing(model("a", 1), tuned), HeadPairing::OtherWeights);
    EXPECT_FALSE(headsCorrespond(HeadPairing::OtherWeights));
}

TEST(HeadPairing, WhatCannotBeReadIsNotPaired) {
    PairedModel newer = model("b", 1);
    newer.spec = R"({"schema":99})";
    EXPECT_EQ(headPairing(model("a", 1), newer), HeadPairing::UnknownShapes);
    EXPECT_FALSE(headsCorrespond(HeadPairing::UnknownShapes));
}

}  // namespace
}  // namespace heddle
