// SPDX-License-Identifier: Apache-2.0
// Processes as threads of one: they meet over the loopback.
#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "engine/parallel/gradient_buckets.h"
#include "tests/unit/engine/parallel/counting_group.h"
#include "tests/unit/engine/parallel/ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace heddle {
namespace {

using testing::ElementsAre;

TEST(ProcessGroup, OneProcessIsInAgreementWithItself) {
    const auto alone = joinGroup({});
    EXPECT_TRUE(alone->isAlone());
    const at::Tensor values = at::ones({3});
    alone->sum(values);
    EXPECT_TRUE(values.equal(at::ones({3})));
    EXPECT_THAT(alone->exchange("own"), ElementsAre("own"));
    EXPECT_TRUE(alone->offers().empty());
}

TEST(ProcessGroup, SumsTellsAndExchanges) {
    test::onRanks(3, [](Group& group) {
        const int rank = group.place().rank;
        EXPECT_THAT(group.exchange("text " + std::to_string(rank)), ElementsAre("text 0", "text 1", "text 2"));
        group.resume();
        const at::Tensor values = at::full({1000}, rank + 1.0F);
        group.sum(values);
        EXPECT_TRUE(values.equal(at::full({1000}, 6.0F)));
        const at::Tensor copied = at::full({5}, rank);
        group.copyFromLeader(copied);
        EXPECT_TRUE(copied.equal(at::zeros({5}, at::kLong)));
        if (group.isLeader()) {
            EXPECT_THAT(group.offers(), ElementsAre(Offer{1, 2, 3, 4, 5}, Offer{2, 2, 3, 4, 5}));
            group.tell({Word::Kind::Text, {}, "do it"});
            group.tell({Word::Kind::Step, {7, 8, 9}});
        } else {
            group.offer({rank, 2, 3, 4, 5});
            EXPECT_EQ(group.told().text, "do it");
            const Word word = group.told();
            EXPECT_EQ(word.kind, Word::Kind::Step);
            EXPECT_THAT(word.numbers, ElementsAre(7, 8, 9));
        }
    });
}

TEST(ProcessGroup, ABusyLeaderIsWaitedForLongerThanThePatience) {
    test::onRanks(
        2,
        [](Group& group) {
            group.exchange("");
            group.resume();
            if (group.isLeader()) {
                {
                    const BusyScope busy(group);
                    std::this_thread::sleep_for(std::chrono::milliseconds(5000));
                }
                group.tell({Word::Kind::End, {}, "done"});
            } else {
                EXPECT_EQ(group.told().text, "done");
            }
        },
        std::chrono::milliseconds(2000));
}

TEST(ProcessGroup, OneThatIsSilentIsLost) {
    test::onRanks(
        2,
        [](Group& group) {
            group.exchange("");
            group.resume();
            if (group.isLeader()) {
                std::this_thread::sleep_for(std::chrono::milliseconds(5000));
                return;
            }
            try {
                group.told();
                ADD_FAILURE() << "the leader said nothing";
            } catch (const Error& error) {
                EXPECT_EQ(error.code(), ErrorCode::Resumable);
            }
        },
        std::chrono::milliseconds(2000));
}

TEST(GradientBuckets, AreOf25MiBInTheOrderInWhichABackwardPassEnds) {
    constexpr std::int64_t kMiB = (1 << 20) / sizeof(float);
    test::onRanks(2, [](Group& real) {
        test::CountingGroup group(real);
        std::vector<at::Tensor> parameters;  // from the last: 9 and 9 and the tail of 3; 30 alone; 10 and 15; 1
        for (const std::int64_t size : {1, 15, 10, 30, 3, 9, 9}) parameters.push_back(at::zeros({size * kMiB}));
        GradientBuckets buckets(group, parameters);
        EXPECT_EQ(buckets.count(), 4);
        for (at::Tensor& parameter : parameters) parameter.mutable_grad() = at::ones_like(parameter);
        const at::Tensor scalars_3 = at::zeros({3});
        buckets.sum(scalars_3, true);
        const test::Collectives first = group.counts;
        EXPECT_EQ(first.allReduces, 4 + 1) << "and once which parameters are trained";
        buckets.sum(scalars_3, true);
        EXPECT_EQ(group.counts - first, (test::Collectives{4, (77 << 20) + 64, 0, 0, 0, 0}));
        buckets.forgetTrained();
        buckets.sum(scalars_3, true);
        EXPECT_EQ(group.counts.allReduces, first.allReduces + 4 + 5);
    });
}

TEST(GradientBuckets, SumsGradientsAndScalarsAndKnowsWhatIsTrained) {
    test::onRanks(2, [](Group& group) {
        const float own = group.isLeader() ? 1 : 2;
        at::Tensor a = at::zeros({3, 5}), b = at::zeros({5, 3}).t(), unused = at::zeros({2});
        GradientBuckets buckets(group, {a, b, unused});
        for (const float expected : {3.0F, 1.0F}) {  // in the second step only the leader has a micro-batch
            const bool hasWorked = expected > 1 || group.isLeader();
            const auto give = [&](at::Tensor& parameter) {
                parameter.mutable_grad() = hasWorked ? at::full_like(parameter, own) : at::Tensor();
            };
            give(a), give(b);
            buckets.sum(at::full({3}, hasWorked ? own : 0.0F), hasWorked);
            buckets.setGradients();
            EXPECT_TRUE(buckets.scalars_3().equal(at::full({3}, expected)));
            EXPECT_TRUE(a.grad().equal(at::full({3, 5}, expected)));
            EXPECT_TRUE(b.grad().equal(at::full({3, 5}, expected)));
            EXPECT_EQ(b.grad().strides(), b.strides()) << "laid out as autograd does";
            EXPECT_FALSE(unused.grad().defined());
            EXPECT_EQ(buckets.count(), 1);
        }
    });
}

}  // namespace
}  // namespace heddle
