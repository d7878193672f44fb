// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/cuda/kernels.h"
#include "engine/kernels/cuda/mask_bodies.h"
#include "engine/kernels/cuda/teams.h"

namespace heddle::cuda {

void launch(const DropoutArguments& a, cudaStream_t queue) {
    withType(a.type, [&](auto type) { launchElements(DropoutPass<typename decltype(type)::Type>{a}, a.n, queue); });
}

void launch(const ReluDropoutArguments& a, cudaStream_t queue) {
    withType(a.type, [&](auto type) {
        using Pass = ReluDropoutPass<typename decltype(type)::Type>;
        launchTeams<Pass::kQuadsOfWord>(Pass{a}, a.n / 32, queue);
    });
}

void launch(const AdjustArguments& a, cudaStream_t queue) {
    withTypes(a.streamType, a.type, [&](auto stream, auto type) {
        launchElements(AdjustPass<typename decltype(stream)::Type, typename decltype(type)::Type>{a}, a.n, queue);
    });
}

bool runOnCurrentDevice() {
    cudaFuncAttributes attributes{};
    const bool isThere = cudaFuncGetAttributes(&attributes, elementsKernel<DropoutPass<float>>) == cudaSuccess;
    static_cast<void>(cudaGetLastError());  // clears the error "no kernel image", which is a valid result
    return isThere;
}

}  // namespace heddle::cuda
