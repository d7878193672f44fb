// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/score_stack.h"

#include "engine/device/torch_pch.h"
#include "engine/verify/stack_under_test.h"

#include <algorithm>
#include <map>

namespace heddle::verify {

/// Replaces the scores of every layer and records all exposures.
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
    std::string sublayer;
    std::int64_t queries = 0;
    mutable Given taps;
};

namespace {

/// "cross" if the numbers of queries and keys differ, since they then belong to two sequences.
std::string nameOf(const ScoreStack::Choice& choice) {
    return choice.scores.back().size(2) == choice.scores.back().size(3) ? "self" : "cross";
}

Json documentOf(const ScoreStack::Choice& choice) {
    const at::Tensor& last = choice.scores.back();
    const std::int64_t heads = last.size(1), depth = std::ssize(choice.scores);
    const std::string name = nameOf(choice);
    const char* const stack = name == "self" ? "encoder" : "decoder";
    const Json noBias{{"scale", "one"}, {"bias", false}};
    Json document{{"dims",
                   {{"d", heads * choice.valueWidth},
                    {"heads", heads},
                    {"key_dim", 1},
                    {"value_dim", choice.valueWidth},
                    {"layers_enc", name == "self" ? depth : 1},
                    {"layers_dec", depth},
                    {"max_len", choice.maxLen > 0 ? choice.maxLen : std::max(last.size(2), last.size(3))}}},
                  {"topology", name == "self" ? "encoder" : "encdec"},
                  {"defaults", {{"scorer", noBias}, {"value", {{"bias", false}}}, {"norm", "none"}, {"score", choice.score}}},
                  {stack, {{"sublayers", {{{"name", name}, {"mask", choice.mask}}}}}}};
    if (name == "cross") document["defaults"]["score"]["sites"] = {"cross"};
    document[stack]["layers"][std::to_string(depth - 1)][name]["residual"] = "none";
    return document;
}

}  // namespace

ScoreStack::ScoreStack(const Choice& choice)
    : parts_(new Parts{
          StackUnderTest(documentOf(choice), choice.scores.back().options(), nameOf(choice) == "self" ? "encoder" : "decoder"),
          nameOf(choice),
          choice.scores.back().size(2),
          {}}) {
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
    return parts_->stack.path(layer, parts_->sublayer + "." + slot);
}

Counts ScoreStack::counts(std::int64_t layer) const { return parts_->stack.counts(path(layer)); }

at::Tensor ScoreStack::run(const at::Tensor& values_BHSE, Forward f) const {
    parts_->taps.seen.clear();
    f.taps = &parts_->taps;
    const at::Tensor values_BSD = values_BHSE.transpose(1, 2).flatten(2);
    const bool isSelf = parts_->sublayer == "self";
    const at::Tensor x_BSD =
        isSelf ? values_BSD : at::zeros({values_BSD.size(0), parts_->queries, values_BSD.size(2)}, values_BSD.options());
    const KeyMasks keys({}, values_BSD.size(1), values_BSD.options());
    MixContext context;
    context.self = context.cross = &keys;
    if (!isSelf) context.memory_BKD = values_BSD;
    const at::Tensor y_BSD = parts_->stack.run(x_BSD, context, f);
    return y_BSD.view({x_BSD.size(0), x_BSD.size(1), values_BHSE.size(1), values_BHSE.size(3)}).transpose(1, 2);
}

const at::Tensor& ScoreStack::seen(const std::string& tap) const { return parts_->taps.seen.at(tap); }

}  // namespace heddle::verify
