// SPDX-License-Identifier: Apache-2.0
// Value residual (ResFormer, Zhou et al. 2025, section 3.2): the values of later layers keep a share of the first layer's,
//   V′_n = λ₁ V_1 + λ₂ V_n    V [B,G,K,E] the values of the heads, before the attention weights mix them
// λ₁ and λ₂ are the options first and own; with learned they are parameters of the layer that start at these numbers. The first
// layer has nothing to read: it keeps its own values.
#include "engine/blocks/block_file.h"

namespace heddle {

namespace {

constexpr const char* kLambda = "lambda";

struct FirstValuesOptions {
    double first = 0, own = 0;
    bool learned = false;
};

const OptionFields<FirstValuesOptions>& firstValuesOptions() {
    static const auto kFields =
        OptionFields<FirstValuesOptions>()
            .add(&FirstValuesOptions::first,
                 fields::number("first", 0.5, {-100, 100}, "λ₁, the factor of the first layer's values."))
            .add(&FirstValuesOptions::own, fields::number("own", 0.5, {-100, 100}, "λ₂, the factor of the layer's own values."))
            .add(&FirstValuesOptions::learned,
                 fields::flag("learned", false, "Whether each layer learns its λ₁ and λ₂, which start at these numbers."));
    return kFields;
}

bool learns(const BlockContext& where, const FirstValuesOptions& o) { return o.learned && where.layer > 0; }

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeFirstValueCarry() {
    BlockDescriptor b;
    b.title = "Values of the first layer";
    b.summary = "Value residual (ResFormer, Zhou et al. 2025): adds the first layer's values to those of every later layer.";
    b.formula = "V′_n = λ₁ V_1 + λ₂ V_n";
    b.shapes = "V, V′ [B,G,K,E]; λ₁, λ₂ one number each";
    b.reference = "Zhou et al. 2025 (Value Residual Learning, arXiv 2410.17897), section 3.2";
    b.parameters = firstValuesOptions().schema();
    b.parameterCount = firstValuesOptions().on(
        [](const BlockContext& where, const FirstValuesOptions& o) { return std::int64_t{learns(where, o) ? 2 : 0}; });
    b.flopsPerToken = [](const BlockContext&, const Json&) { return 0.0; };
    b.check = firstValuesOptions().on([](const BlockContext& where, const FirstValuesOptions& o) -> std::optional<Problem> {
        if (!o.learned || where.passes == 1) return std::nullopt;
        return Problem{"learned",
                       "the layers share their weights, so that the first one would learn numbers that it does not use",
                       "use share distinct, or fixed numbers"};
    });
    b.exposures = {{kLambda, "factors λ₁, λ₂ of the values", Exposure::Quantity::Scalar, "D", -2, 2, true, false, true}};
    return b;
}

#else

namespace {

class FirstValueCarry final : public ValueCarry {
public:
    FirstValueCarry(const BuildContext& c, const FirstValuesOptions& o) : path_(c.scope.path()) {
        const at::Tensor start_2 = at::tensor({o.first, o.own}, at::kDouble);
        if (!learns(c.where, o)) {
            lambda_2_ = c.scope.declareBuffer(start_2);
            return;
        }
        first_1_ = c.scope.declare("first", {1}, {Initial::Kind::Constant, o.first});
        own_1_ = c.scope.declare("own", {1}, {Initial::Kind::Constant, o.own});
    }

    bool carries() const override { return true; }

    at::Tensor mixed(const at::Tensor& own_BGKE, const ValueChain& earlier, const Forward& f) const override {
        if (earlier.empty()) return own_BGKE;
        const at::Tensor lambda_2 = f.pass(path_, kLambda, first_1_.defined() ? at::cat({first_1_, own_1_}) : lambda_2_);
        return lambda_2.select(0, 0) * earlier.front() + lambda_2.select(0, 1) * own_BGKE;
    }

private:
    std::string path_;
    at::Tensor lambda_2_, first_1_, own_1_;
};

}  // namespace

std::unique_ptr<Block> makeFirstValueCarry(const BuildContext& context) {
    return std::make_unique<FirstValueCarry>(context, firstValuesOptions().read(context.params));
}

#endif

}  // namespace heddle
