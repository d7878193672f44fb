// SPDX-License-Identifier: Apache-2.0
// The modules that a run keeps, held against those of its variant now.
#include "engine/spec/draft_facts.h"

#include "engine/base/json.h"
#include "engine/spec/variant_spec.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle {
namespace {

Facts factsOfGpt() { return factsOf({{"variant", {{"preset", "gpt"}, {"dims", {{"layers_dec", 1}}}}}}, AssumedVocabulary{}); }

/// The modules as they were built, without those of this slot.
std::vector<BuiltModule> builtWithout(const DraftFacts& facts, const std::string& slot) {
    std::vector<BuiltModule> built;
    forEachBlock(facts.variant, [&](const auto& path, const auto& own, const BlockChoice& choice, const BlockContext&) {
        const auto counted = facts.modules.find(path);
        if (counted != facts.modules.end() && own != slot) built.push_back({path, choice.id, counted->second.parameters});
    });
    return built;
}

TEST(ModuleDifferences, ASlotThatIsNewerThanTheRunIsEmptyInBoth) {
    const Facts facts = factsOfGpt();
    ASSERT_TRUE(facts);
    EXPECT_TRUE(moduleDifferences(builtWithout(*facts, ""), *facts).empty());
    for (const char* slot : {"relative", "cap", "value_carry"})
        EXPECT_TRUE(moduleDifferences(builtWithout(*facts, slot), *facts).empty()) << slot;
    const auto differences = moduleDifferences(builtWithout(*facts, "scorer"), *facts);
    ASSERT_EQ(differences.size(), 1U);
    EXPECT_EQ(differences.front().path, "decoder.layers.0.self.scorer");
    EXPECT_FALSE(differences.front().built);
}

}  // namespace
}  // namespace heddle
