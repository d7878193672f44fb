// SPDX-License-Identifier: Apache-2.0
// "Adding a block touches one file and one line": half.cpp, and the line that tests/CMakeLists.txt puts into a copy of the
// list. Everything else is the library as it is; its catalogue and factory give way to this program's, which come first.
#include "engine/device/torch_pch.h"
#include "engine/model/built_modules.h"
#include "engine/spec/cost.h"
#include "engine/spec/manual.h"
#include "engine/tasks/loss.h"
#include "engine/train/step/optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::HasSubstr;

Json document() {
    return {{"preset", "eau-base"},
            {"dims",
             {{"d", 16}, {"f", 24}, {"heads", 2}, {"layers_enc", 2}, {"layers_dec", 2}, {"vocab_src", 11}, {"vocab_tgt", 13}}},
            {"defaults", {{"residual", "half"}}}};
}

ResolvedVariant variant() { return VariantSpec::parse(document(), builtinCatalogue()).resolve(); }

at::Tensor logitsOf(const Model& model) {
    const at::Tensor source = at::tensor({4, 5, 6, 7, 8}, at::kLong).unsqueeze(0),
                     target = at::tensor({2, 9, 10, 11}, at::kLong).unsqueeze(0);
    const Forward f{.training = true};
    const Memory memory{model.encode({source, {}}, f), source};
    return model.logits(model.decode({target, {}}, memory, f)).flatten(0, 1);
}

TEST(ToyBlock, IsInTheCatalogueValidationAndTheManual) {
    EXPECT_EQ(builtinCatalogue().at("residual", "half").title, "Half a residual");
    std::vector<Problem> problems;
    Json wrong = document();
    wrong["defaults"]["residual"] = {{"kind", "half"}, {"gate", 1}};
    VariantSpec::parse(wrong, builtinCatalogue(), problems);
    ASSERT_FALSE(problems.empty());
    EXPECT_THAT(problems.front().what, HasSubstr("gate"));
    EXPECT_THAT(blockManual(builtinCatalogue()), HasSubstr("Half a residual"));
}

TEST(ToyBlock, IsCountedAndBuilt) {
    const auto model = buildModel(variant(), 1);
    std::int64_t parameters = 0, ofTheBlock = 0;
    for (const auto& [path, block, count] : builtModules(*model)) {
        parameters += count;
        if (path.ends_with(".residual")) ofTheBlock += count;
    }
    EXPECT_EQ(ofTheBlock, 2 * 2 + 2 * 3) << "one number a sublayer";
    EXPECT_EQ(parameters, countCost(variant()).parameters);
}

TEST(ToyBlock, ReadsItsOption) {
    const auto logitsWith = [](double share) {
        Json changed = document();
        changed["defaults"]["residual"] = {{"kind", "half"}, {"share", share}};
        return logitsOf(*buildModel(VariantSpec::parse(changed, builtinCatalogue()).resolve(), 1));
    };
    const at::Tensor standard = logitsOf(*buildModel(variant(), 1));
    EXPECT_TRUE(at::equal(logitsWith(0.5), standard));
    EXPECT_FALSE(at::equal(logitsWith(1), standard));
}

TEST(ToyBlock, LearnsInAStep) {
    const auto model = buildModel(variant(), 1);
    AdamOptimizer optimizer(model->parameters(), TrainSpec{});
    const at::Tensor w = model->parameters().find("decoder.layers.1.ffn.residual.w");
    ASSERT_TRUE(w.defined());
    const double before = w.item<double>();
    const at::Tensor logits = logitsOf(*model);
    const LossSums loss = crossEntropyWithGradient(logits, at::tensor({9, 10, 11, 12}, at::kLong), {0.1, 0.25});
    logits.backward(loss.gradient);
    optimizer.update(1e-3, loss.objective);
    EXPECT_NE(w.item<double>(), before);
}

}  // namespace
}  // namespace heddle
