// SPDX-License-Identifier: Apache-2.0
// Properties of the evaluator–adjuster unit and of the gated residual.
#include "engine/blocks/block.h"
#include "engine/device/torch_pch.h"
#include "engine/verify/one_block.h"
#include "tests/dev/engine/properties.h"

namespace heddle::verify {

namespace {

constexpr std::int64_t kWidth = 12;

OneBlock blockOf(const std::string& slot, const std::string& id) {
    Dims dims;
    dims.d = kWidth;
    return {slot, id, Json::object(), dims};
}

}  // namespace

void checkEauBound(CaseChecks& checks) {
    const OneBlock choice = blockOf("adjuster", "eau");
    for (const double scale : {1.0, 30.0}) {
        const auto eau = choice.make<Adjuster>(at::kDouble);
        fillNormal(eau.store, scale, 1);
        const at::Tensor x = normalTensor({4, 9, kWidth}, 2) * scale;
        const double largest = (eau->adjust(x, x, {}) - x).abs().max().item<double>();
        checks.bound(c10::str("|y - x| at scale ", scale), largest, 1);
    }
}

void checkGrcLimits(CaseChecks& checks) {
    const auto grc = blockOf("residual", "grc").make<Residual>(at::kDouble);
    const at::Tensor r = normalTensor({2, 5, kWidth}, 3), s = normalTensor({2, 5, kWidth}, 4);
    const auto withBias = [&](double bias) {
        const at::NoGradGuard noGrad;
        grc.store.find("block.gate.weight").zero_();
        grc.store.find("block.gate.bias").fill_(bias);
        return grc->join(r, r, s, {});
    };
    checks.bound("open gate against r + s", (withBias(40) - (r + s)).abs().max().item<double>(), 1e-12);
    checks.bound("closed gate against r", (withBias(-40) - r).abs().max().item<double>(), 1e-12);
}

}  // namespace heddle::verify
