// SPDX-License-Identifier: Apache-2.0
// Properties of recurrent networks and of pooling.
#include "engine/device/torch_pch.h"
#include "engine/verify/one_block.h"
#include "tests/dev/engine/properties.h"
#include "tests/dev/engine/tiny_models.h"

namespace heddle::verify {

void checkDirections(CaseChecks& checks) {
    for (const char* preset : {"bilstm-w2v", "birnn", "bigru"}) {
        const auto model = tinyModel(preset);
        const at::NoGradGuard noGrad;
        const auto read = [&](const std::vector<std::int64_t>& words) {
            const at::Tensor h_SW = model->encode({sentence(words), {}}, {}).squeeze(0);
            return h_SW.chunk(2, -1);  // forward, backward
        };
        const auto base = read({4, 5, 6, 7}), otherFirst = read({8, 5, 6, 7}), otherLast = read({4, 5, 6, 9});
        const std::string name = preset;
        checks.bound(name + ": forward half before the changed word", distance(base[0][2], otherLast[0][2]), 0);
        checks.bound(name + ": backward half after the changed word", distance(base[1][3], otherFirst[1][3]), 0);
        checks.exceeds(name + ": forward half after the changed word", distance(base[0][3], otherFirst[0][3]), 1e-9);
        checks.exceeds(name + ": backward half before the changed word", distance(base[1][0], otherLast[1][0]), 1e-9);
    }
}

void checkPooling(CaseChecks& checks) {
    constexpr std::int64_t kWidth = 6, kWords = 3, kPositions = 5;
    Dims dims;
    dims.d = kWidth;
    const at::Tensor hidden_BSW = normalTensor({2, kPositions, kWidth}, 5);
    const at::Tensor padding_BS = at::arange(kPositions).ge(kWords).expand({2, kPositions});
    for (const char* pool : {"mean", "max", "first", "last", "cls_tanh"}) {
        const auto head = OneBlock{"head", "classify", {{"pool", pool}}, dims}.make<Head>(at::kDouble);
        const at::Tensor padded = head->pool(hidden_BSW, padding_BS, {});
        const at::Tensor cut = head->pool(hidden_BSW.narrow(1, 0, kWords), {}, {});
        checks.bound(std::string(pool) + ": with padding against without", distance(padded, cut), 1e-12);
    }
}

}  // namespace heddle::verify
