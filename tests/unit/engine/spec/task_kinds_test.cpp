// SPDX-License-Identifier: Apache-2.0
// What follows from a task's input and target.
#include "engine/spec/task_kinds.h"

#include "engine/base/error.h"
#include "engine/spec/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> namesWhere(bool (TaskKind::*holds)() const) {
    std::vector<std::string> names;
    for (const TaskKind& task : taskKinds())
        if ((task.*holds)()) names.push_back(task.id);
    return names;
}

std::string refusal(const std::string& preset, const std::string& task) {
    RunSpec run;
    run.variant = VariantSpec::parse({{"preset", preset}}, builtinCatalogue());
    run.data.task = task;
    try {
        throwIfNotTrainable(run);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(TaskKinds, PairsOfFilesAreReadForTranslationsAndImages) {
    EXPECT_THAT(namesWhere(&TaskKind::readsPairs), ElementsAre("translation", "image"));
}

TEST(TaskKinds, ImagesAloneHaveNoTokenizer) {
    EXPECT_THAT(namesWhere(&TaskKind::hasTokenizer),
                ElementsAre("translation", "mlm", "denoise", "causal_lm", "classify", "regress", "tag", "span"));
}

TEST(TaskKinds, WordsAndPatchesAreNotMistakenForEachOther) {
    EXPECT_EQ(refusal("vit-tiny", "image"), "");
    EXPECT_THAT(refusal("vit-tiny", "classify"),
                AllOf(HasSubstr("task classify reads words, this variant embeds patches of images"),
                      HasSubstr("variant, embed.source"), HasSubstr("set data.task to image")));
    RunSpec run;
    run.variant = VariantSpec::parse({{"preset", "bert-base"}, {"head", {{"kind", "classify"}}}}, builtinCatalogue());
    run.data.task = "image";
    try {
        throwIfNotTrainable(run);
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("task image needs patches, this variant embeds words"),
                                        HasSubstr("set embed.source to patches")));
    }
}

}  // namespace
}  // namespace heddle
