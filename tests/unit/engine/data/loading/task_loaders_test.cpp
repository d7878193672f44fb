// SPDX-License-Identifier: Apache-2.0
// Every task has its loader, and a format of another task is refused.
#include "engine/data/loading/task_loaders.h"

#include "engine/spec/catalogue.h"
#include "tests/unit/engine/spec/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::HasSubstr;

std::string problemOf(const std::string& task, const std::string& format) {
    RunSpec spec;
    spec.variant = VariantSpec::parse({{"preset", "bert-base"}}, builtinCatalogue());
    spec.data.task = task;
    spec.data.format = format;
    return whyRefused([&] { loadRunData(spec, {}, {}); });
}

TEST(TaskLoaders, EveryTaskIsListed) {
    for (const TaskKind& task : taskKinds()) EXPECT_NO_THROW(loaderOf(task)) << task.id;
}

TEST(TaskLoaders, AFormatOfAnotherTaskIsRefused) {
    EXPECT_THAT(problemOf("classify", "conll"), HasSubstr("format conll belongs to task tag, not classify"));
    EXPECT_THAT(problemOf("tag", "squad"), HasSubstr("format squad belongs to task span, not tag"));
    EXPECT_THAT(problemOf("span", "glue/sts-b"), HasSubstr("format glue/sts-b belongs to task regress, not span"));
    EXPECT_THAT(problemOf("regress", "snli"), HasSubstr("format snli belongs to task classify, not regress"));
    EXPECT_THAT(problemOf("tag", "generated/agreement"),
                HasSubstr("format generated/agreement belongs to task classify, not tag"));
    EXPECT_THAT(problemOf("translation", "generated/position"),
                HasSubstr("format generated/position belongs to task tag, not translation"));
    EXPECT_THAT(problemOf("translation", "zzz"), HasSubstr("unsupported format \"zzz\" for task translation"));
    EXPECT_THAT(problemOf("image", "lines"), HasSubstr("unsupported format \"lines\" for task image"));
}

}  // namespace
}  // namespace heddle
