// SPDX-License-Identifier: Apache-2.0
#include "engine/device/cuda/kernels.h"
#include "engine/device/cuda/teams.h"

namespace heddle::cuda {

void launch(const DropoutArguments& a, cudaStream_t queue) {
    withType(a.type, [&](auto type) { launchElements(DropoutPass<typename decltype(type)::Type>{a}, a.n, queue); });
}

void launch(const RectifiedBackwardArguments& a, cudaStream_t queue) {
    withType(a.type, [&](auto type) { launchElements(RectifiedBackwardPass<typename decltype(type)::Type>{a}, a.n, queue); });
}

void launch(const AdjustArguments& a, cudaStream_t queue) {
    withTypes(a.streamType, a.type, [&](auto stream, auto type) {
        launchElements(AdjustPass<typename decltype(stream)::Type, typename decltype(type)::Type>{a}, a.n, queue);
    });
}

void launch(const AdjustBackwardArguments& a, cudaStream_t queue) {
    withTypes(a.streamType, a.type, [&](auto stream, auto type) {
        launchElements(AdjustBackwardPass<typename decltype(stream)::Type, typename decltype(type)::Type>{a}, a.n, queue);
    });
}

}  // namespace heddle::cuda
