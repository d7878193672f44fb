// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/score_stack.h"

#include "engine/device/torch_pch.h"
#include "engine/verify/stack_under_test.h"

#include <map>

namespace heddle::verify {

/// Gives every scorer the scores of its layer, and keeps what passes.
class ScoreStack::Given final : public Taps {
public:
    at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& value) override {
        const auto given = scores.find(module);
        seen[module + "." + exposure] = given == scores.end() ? value : given->second;
        return seen[module + "." + exposure];
    }
    bool wants(const std::string&, const char*) const override { return true; }
    bool replaces(const std::string& module, const char*) const override { return scores.contains(module); }

    std::map<std::string, at::Tensor> scores, seen;  ///< by the scorer's path; by path and exposure
};

struct ScoreStack::Parts {
    StackUnderTest stack;
    mutable Given taps;
};

namespace {

Json documentOf(const ScoreStack::Choice& choice) {
    const at::Tensor& last = choice.scores.back();
    const std::int64_t heads = last.size(1);
    const Json noBias{{"scale", "one"}, {"bias", false}};
    Json document{{"dims",
                   {{"d", heads * choice.valueWidth},
                    {"heads", heads},
                    {"key_dim", 1},
                    {"value_dim", choice.valueWidth},
                    {"layers_enc", choice.scores.size()},
                    {"max_len", choice.maxLen > 0 ? choice.maxLen : last.size(3)}}},
                  {"topology", "encoder"},
                  {"defaults", {{"scorer", noBias}, {"value", {{"bias", false}}}, {"norm", "none"}, {"score", choice.score}}},
                  {"encoder", {{"sublayers", {{{"name", "self"}, {"mask", choice.mask}}}}}}};
    document["encoder"]["layers"][std::to_string(choice.scores.size() - 1)]["self"]["residual"] = "none";
    return document;
}

}  // namespace

ScoreStack::ScoreStack(const Choice& choice)
    : parts_(new Parts{StackUnderTest(documentOf(choice), choice.scores.back().scalar_type()), {}}) {
    const at::NoGradGuard noGrad;
    for (std::size_t layer = 0; layer < choice.scores.size(); ++layer) {
        const auto number = static_cast<std::int64_t>(layer);
        parts_->taps.scores[path(number, "scorer")] = choice.scores[layer];
        at::Tensor v = store().find(path(number, "value.v.weight")), out = store().find(path(number, "value.out.weight"));
        at::eye_out(v, v.size(0));
        at::eye_out(out, out.size(0));
        if (layer + 1 < choice.scores.size()) out.zero_();
    }
}

ScoreStack::ScoreStack(ScoreStack&&) noexcept = default;
ScoreStack::~ScoreStack() = default;

const ParameterStore& ScoreStack::store() const { return parts_->stack.store(); }

std::string ScoreStack::path(std::int64_t layer, const std::string& slot) const {
    return parts_->stack.path(layer, "self." + slot);
}

std::int64_t ScoreStack::formulaCount(std::int64_t layer) const { return parts_->stack.formulaCount(path(layer)); }

at::Tensor ScoreStack::run(const at::Tensor& values_BHSE, Forward f) const {
    parts_->taps.seen.clear();
    f.taps = &parts_->taps;
    const at::Tensor x_BSD = values_BHSE.transpose(1, 2).flatten(2);
    const KeyMasks keys({}, x_BSD.size(1), x_BSD.options());
    MixContext context;
    context.self = &keys;
    const at::Tensor y_BSD = parts_->stack.run(x_BSD, context, f);
    return y_BSD.view({x_BSD.size(0), x_BSD.size(1), values_BHSE.size(1), values_BHSE.size(3)}).transpose(1, 2);
}

const at::Tensor& ScoreStack::seen(const std::string& tap) const { return parts_->taps.seen.at(tap); }

}  // namespace heddle::verify
