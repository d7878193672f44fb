// SPDX-License-Identifier: Apache-2.0
// The head of a classifier that starts from another run's weights.
#include "engine/device/torch_pch.h"
#include "engine/model/builder.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "engine/train/loop/start.h"
#include "tests/unit/engine/tasks/task_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using test::encoder;
using test::TaskRun;

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST_F(TaskRun, TheHeadsRowsFollowTheNamesOfTheClasses) {
    const auto reviews = [](const std::string& good, const std::string& bad) {
        std::string text;
        for (int i = 0; i < 40; ++i) text += i % 2 == 0 ? "good film\t" + good + "\n" : "bad film\t" + bad + "\n";
        return text;
    };
    RunSpec parent = specFor("classify", "tsv", encoder("classify"), file("reviews.tsv", reviews("yes", "no")));
    parent.train.epochs = 8;
    const std::string checkpoint = folder / "parent/" + checkpointName(train(parent, "parent").step);
    ASSERT_EQ(last("accuracy"), 1);

    // Sorted, "better" stands before "worse" as "no" before "yes": rows taken by number would tell good from bad the wrong way.
    RunSpec other = specFor("classify", "tsv", encoder("classify"), file("others.tsv", reviews("better", "worse")));
    other.train.start.checkpoint = checkpoint;
    other.train.epochs = 1;
    train(other, "other");
    EXPECT_THAT(sink.all<StartedFrom>().back().drawn, testing::IsSupersetOf({"head.out.weight", "head.out.bias"}));
    EXPECT_THAT(sink.all<StartedFrom>().back().note, AllOf(HasSubstr("other classes"), HasSubstr("no, yes")));

    RunSpec same = other;
    same.data = parent.data;
    same.train.lr = 0;
    train(same, "same");
    EXPECT_THAT(sink.all<StartedFrom>().back().taken, testing::IsSupersetOf({"head.out.weight", "head.out.bias"}));
    EXPECT_EQ(sink.all<StartedFrom>().back().note, "");
    EXPECT_EQ(last("accuracy"), 1);

    const NamedTensors stored = readCheckpointWeights(checkpoint);
    const std::int64_t words = stored.at("embed.shared.weight").size(0);
    const auto model = buildModel(same.variant.resolve(words, words, 2), 1);
    const StartedFrom turned = startFrom(*model, same.train.start, {}, {"yes", "no"});
    EXPECT_THAT(turned.note, HasSubstr("reordered by name"));
    const NamedTensors taken = namedParameters(model->parameters());
    EXPECT_TRUE(at::equal(taken.at("head.out.weight"), stored.at("head.out.weight").flip(0)));
    EXPECT_TRUE(at::equal(taken.at("head.out.bias"), stored.at("head.out.bias").flip(0)));
}

}  // namespace
}  // namespace heddle
