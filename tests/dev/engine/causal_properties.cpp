// SPDX-License-Identifier: Apache-2.0
// Properties of every preset that decodes: causality, padding, decoding step by step.
#include "engine/device/torch_pch.h"
#include "engine/verify/checks.h"
#include "tests/dev/engine/properties.h"
#include "tests/dev/engine/tiny_models.h"

namespace heddle::verify {

namespace {

constexpr double kExact = 1e-12;  ///< float64; sums of different lengths may be rounded in different orders

const std::vector<std::int64_t> kSource{4, 5, 6, 7, 3}, kTarget{2, 7, 8, 9, 10, 5};

/// The largest change before position t when the word at t changes, and the smallest change at t itself, over all t.
struct Changes {
    double before = 0, there = std::numeric_limits<double>::infinity();
};

Changes changesOf(const Model& model) {
    const at::Tensor source = sentence(kSource), plain = outputsOf(model, source, sentence(kTarget));
    Changes changes;
    for (std::size_t t = 0; t < kTarget.size(); ++t) {
        std::vector<std::int64_t> other = kTarget;
        other[t] = 11;
        const at::Tensor difference = (outputsOf(model, source, sentence(other)) - plain).abs();
        const auto place = static_cast<std::int64_t>(t);
        if (t > 0) changes.before = std::max(changes.before, difference.narrow(1, 0, place).max().item<double>());
        changes.there = std::min(changes.there, difference.select(1, place).max().item<double>());
    }
    return changes;
}

/// Returns whether padding is hidden wherever this model attends. Images have no padding.
bool hidesPadding(const ResolvedVariant& variant) {
    if (patchesOf(variant)) return false;
    for (const ResolvedSublayer* sublayer : sublayersOf(variant))
        if (sublayer->slots.contains("mask") && holdsNothing(sublayer->slots.at("mask"))) return false;
    return true;
}

std::vector<std::int64_t> padded(std::vector<std::int64_t> words, std::size_t length) {
    words.resize(length, kPad);
    return words;
}

/// Returns the logits of kTarget from a decoder that reads one token after the other and keeps keys and values.
at::Tensor steppedOutputs(const Model& model, const at::Tensor& source) {
    const at::NoGradGuard noGrad;
    const auto state = model.startDecoding(memoryOf(model, source));
    std::vector<at::Tensor> steps;
    for (const std::int64_t word : kTarget) steps.push_back(model.logits(state->step(sentence({word}), {})));
    return at::cat(steps, 1);
}

}  // namespace

void checkCausality(CaseChecks& checks) {
    for (const std::string& name : causalPresets()) {
        const Changes changes = changesOf(*tinyModel(name));
        checks.bound(name + ": outputs before a changed word", changes.before, kExact);
        checks.exceeds(name + ": the output at it", changes.there, 0);
    }
    const auto leaking = tinyModel("thesis-G1", {{"defaults", {{"score", {{"gate", {{"mask_prev", "raw"}}}}}}}});
    checks.exceeds("thesis-G1 with mask_prev raw leaks the future", changesOf(*leaking).before, 1e-9);
}

void checkPadding(CaseChecks& checks) {
    for (const std::string& name : presetNames()) {
        const auto model = tinyModel(name);
        if (!hidesPadding(model->variant())) continue;
        const at::Tensor plain = outputsOf(*model, sentence(kSource), sentence(kTarget));
        const at::Tensor longer = outputsOf(*model, sentence(padded(kSource, 9)), sentence(padded(kTarget, 10)));
        checks.bound(name + ": real positions with padding after them", distance(longer.narrow(1, 0, plain.size(1)), plain),
                     kExact);
    }
}

void checkSelector(CaseChecks& checks) {
    const auto over = [](const Json& params) {
        Json selector{{"kind", "sea"}, {"k", 2}, {"columns", 4}};
        selector.update(params);
        return Json{{"defaults", {{"selector", selector}}}};
    };
    for (const char* group : {"causal_batch", "query"}) {
        const auto model = tinyModel("gpt", over({{"group", group}}));
        const Changes changes = changesOf(*model);
        checks.bound(std::string("gpt, ") + group + ": outputs before a changed word", changes.before, kExact);
        const std::vector<std::int64_t> beginning(kTarget.begin(), kTarget.begin() + std::ssize(kTarget) / 2);
        const at::Tensor alone = outputsOf(*model, sentence(kSource), sentence(beginning));
        const at::Tensor whole = outputsOf(*model, sentence(kSource), sentence(kTarget));
        checks.bound(std::string("gpt, ") + group + ": outputs of the beginning alone",
                     distance(alone, whole.narrow(1, 0, alone.size(1))), kExact);
        checks.exceeds(std::string("gpt, ") + group + ": the output at it", changes.there, 0);
    }
    for (const char* group : {"causal_batch", "query", "head", "batch"}) {
        const auto model = tinyModel("bert-base", over({{"group", group}}));
        const at::Tensor plain = outputsOf(*model, sentence(kSource), {});
        const at::Tensor longer = outputsOf(*model, sentence(padded(kSource, 9)), {});
        checks.bound(std::string("bert-base, ") + group + ": real positions with padding after them",
                     distance(longer.narrow(1, 0, plain.size(1)), plain), kExact);
    }
    const auto open = tinyModel("gpt", over({{"k", 100}}));
    for (const auto& [path, tensor] : open->parameters().entries())
        if (path.ends_with("selector.scales.bias")) at::Tensor(tensor).detach().fill_(60);
    const at::Tensor all = outputsOf(*open, sentence(kSource), sentence(kTarget));
    const at::Tensor dense = outputsOf(*tinyModel("gpt"), sentence(kSource), sentence(kTarget));
    checks.bound("gpt: all keys chosen and both scales 1, against no selector", distance(all, dense), kExact);
}

void checkStepByStep(CaseChecks& checks) {
    for (const std::string& name : causalPresets()) {
        const auto model = tinyModel(name);
        const at::Tensor source = sentence(kSource), full = outputsOf(*model, source, sentence(kTarget));
        checks.bound(name + ": must run the whole prefix", model->stepObstacle().empty() ? 0 : 1, 0);
        checks.bound(name + ": step by step against all at once", distance(steppedOutputs(*model, source), full), kExact);
    }
}

}  // namespace heddle::verify
