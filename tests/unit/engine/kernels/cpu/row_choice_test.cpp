// SPDX-License-Identifier: Apache-2.0
#include "engine/device/torch_pch.h"
#include "engine/kernels/cpu/row_kernels.h"

#include <gtest/gtest.h>

#include <limits>

namespace heddle {
namespace {

rows::RowChoice choiceOf(const at::Tensor& row, std::int64_t first = 0, std::int64_t end = 0) {
    return rows::likeliest(row.const_data_ptr<float>(), row.numel(), first, end);
}

TEST(RowChoice, IsTheArgMaxWithTheLogarithmOfTheSum) {
    at::manual_seed(7);
    for (const std::int64_t classes : {1, 2, 15, 16, 17, 31, 100, 8003}) {
        const at::Tensor row = at::randn({classes}) * 5;
        const rows::RowChoice choice = choiceOf(row);
        EXPECT_EQ(choice.index, row.argmax().item<std::int64_t>()) << classes << " classes";
        EXPECT_EQ(choice.logit, row.max().item<float>());
        EXPECT_NEAR(choice.logSum, at::logsumexp(row.to(at::kDouble), 0).item<double>(), 1e-5) << classes << " classes";
    }
}

TEST(RowChoice, OfEquallyLikelyClassesIsTheFirst) {
    at::Tensor row = at::zeros({100});
    EXPECT_EQ(choiceOf(row).index, 0);
    row.slice(0, 37, 90, 20).fill_(3);
    EXPECT_EQ(choiceOf(row).index, 37);
}

TEST(RowChoice, IsNoExcludedClassThoughTheSumCountsIt) {
    at::manual_seed(8);
    at::Tensor row = at::randn({53});
    row.slice(0, 1, 5).fill_(9);  // far above the rest
    const rows::RowChoice choice = choiceOf(row, 1, 5);
    at::Tensor allowed = row.clone();
    allowed.slice(0, 1, 5).fill_(-std::numeric_limits<float>::infinity());
    EXPECT_EQ(choice.index, allowed.argmax().item<std::int64_t>());
    EXPECT_NEAR(choice.logSum, at::logsumexp(row.to(at::kDouble), 0).item<double>(), 1e-5);
}

TEST(RowChoice, IsNoneWhereNoLogitIsANumber) {
    EXPECT_EQ(choiceOf(at::full({40}, std::numeric_limits<float>::quiet_NaN())).index, -1);
}

}  // namespace
}  // namespace heddle
