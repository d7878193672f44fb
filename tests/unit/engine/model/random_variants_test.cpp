// SPDX-License-Identifier: Apache-2.0
// Variants that nobody thought of: what holds for every valid one. HEDDLE_RANDOM_VARIANTS=500 tries as many (default 60),
// HEDDLE_RANDOM_SEED others.
#include "engine/device/torch_pch.h"
#include "engine/model/built_modules.h"
#include "engine/model/model.h"
#include "engine/spec/cost.h"
#include "engine/verify/tiny_presets.h"
#include "tests/unit/engine/model/random_variant.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace heddle {
namespace {

int numberFrom(const char* variable, int usual) {
    const char* const wished = std::getenv(variable);
    return wished ? std::atoi(wished) : usual;
}

void copyParameters(const Model& from, Model& to) {
    const at::NoGradGuard noGrad;
    ASSERT_EQ(from.parameters().entries().size(), to.parameters().entries().size());
    for (const auto& [path, tensor] : from.parameters().entries()) {
        at::Tensor parameter = to.parameters().find(path);
        ASSERT_TRUE(parameter.defined()) << path;
        parameter.copy_(tensor);
    }
}

/// Counts, a forward and a backward step, and the way through the stored description.
void tryOne(const Json& document) {
    const VariantSpec spec = VariantSpec::parse(document, builtinCatalogue());
    const ResolvedVariant variant = spec.resolve();
    const auto model = buildModel(variant, 1, at::kDouble);
    const Cost cost = countCost(variant);
    EXPECT_EQ(model->parameters().count(), cost.parameters);
    std::map<std::string, std::int64_t> byFormula;
    for (const auto& module : cost.modules) byFormula[module.path] = module.parameters;
    for (const auto& [path, block, parameters] : builtModules(*model)) EXPECT_EQ(parameters, byFormula[path]) << path;

    const at::Tensor y = verify::toyAnswer(*model);
    ASSERT_TRUE(at::isfinite(y).all().item<bool>());
    y.square().sum().backward();
    for (const auto& [path, tensor] : model->parameters().entries()) {
        const at::Tensor gradient = tensor.grad();
        EXPECT_TRUE(!gradient.defined() || at::isfinite(gradient).all().item<bool>()) << path;
    }

    const VariantSpec stored = VariantSpec::parse(spec.compact(), builtinCatalogue());
    EXPECT_EQ(stored.hash(), spec.hash());
    EXPECT_EQ(stored.resolvedTree(), spec.resolvedTree());
    const auto copy = buildModel(stored.resolve(), 2, at::kDouble);
    copyParameters(*model, *copy);
    const bool isDrawn = !model->parameters().frozen().empty();  // from the seed: no parameters
    EXPECT_TRUE(isDrawn || at::equal(verify::toyAnswer(*copy), y));
}

TEST(RandomVariants, BuildStepAndComeBackFromTheirDescription) {
    testing_support::VariantDraw draw(static_cast<std::uint64_t>(numberFrom("HEDDLE_RANDOM_SEED", 20261121)));
    const int wished = numberFrom("HEDDLE_RANDOM_VARIANTS", 60);
    ASSERT_GT(wished, 0);
    for (int i = 0; i < wished && !HasFailure(); ++i) {
        const Json document = draw.valid();
        SCOPED_TRACE(document.dump());
        try {
            tryOne(document);
        } catch (const std::exception& error) {
            ADD_FAILURE() << error.what();
        }
    }
    RecordProperty("drawn", std::to_string(draw.drawn()));
}

}  // namespace
}  // namespace heddle
