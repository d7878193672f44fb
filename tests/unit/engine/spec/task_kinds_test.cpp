// SPDX-License-Identifier: Apache-2.0
// What follows from a task's input and target.
#include "engine/spec/task_kinds.h"

#include "engine/spec/catalogue.h"
#include "tests/unit/engine/spec/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal(const std::string& preset, const std::string& task) {
    return trainingRefusal(VariantSpec::parse({{"preset", preset}}, builtinCatalogue()), task);
}

TEST(TaskKinds, PairsOfFilesAreReadForTranslationsAndImages) {
    for (const char* id : {"translation", "image"}) EXPECT_TRUE(taskKind(id).readsPairs()) << id;
    for (const char* id : {"mlm", "causal_lm", "classify", "tag", "span"}) EXPECT_FALSE(taskKind(id).readsPairs()) << id;
}

TEST(TaskKinds, ImagesHaveNoTokenizer) {
    EXPECT_FALSE(taskKind("image").hasTokenizer());
    for (const char* id : {"translation", "denoise", "classify", "regress"}) EXPECT_TRUE(taskKind(id).hasTokenizer()) << id;
}

TEST(TaskKinds, DocumentsAreNotPackedForABlockThatReadsAcrossThem) {
    const auto refused = [](const Json& variant) {
        const RunSpec spec =
            RunSpec::parse({{"variant", variant}, {"data", {{"task", "mlm"}, {"packing", "documents"}}}}, builtinCatalogue());
        try {
            throwIfNotTrainable(spec);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    Json variant{{"preset", "bert-base"}};
    EXPECT_EQ(refused(variant), "");
    variant["defaults"] = {{"score", {{"rule", "add"}}}};
    EXPECT_EQ(refused(variant), "");
    variant["defaults"]["score"]["gate"] = Json::object();
    EXPECT_THAT(refused(variant),
                AllOf(HasSubstr("block \"add\" at encoder.layers.0.self.score reads whole rows"), HasSubstr("data.packing")));
}

TEST(TaskKinds, WordsAndPatchesAreNotMistakenForEachOther) {
    EXPECT_EQ(refusal("vit-tiny", "image"), "");
    EXPECT_THAT(refusal("vit-tiny", "classify"),
                AllOf(HasSubstr("task classify reads text, but this variant embeds image patches"),
                      HasSubstr("variant, embed.source"), HasSubstr("set data.task to image")));
    const auto words = VariantSpec::parse({{"preset", "bert-base"}, {"head", {{"kind", "classify"}}}}, builtinCatalogue());
    EXPECT_THAT(trainingRefusal(words, "image"), AllOf(HasSubstr("task image reads images, but this variant embeds words"),
                                                       HasSubstr("set embed.source to patches")));
}

}  // namespace
}  // namespace heddle
