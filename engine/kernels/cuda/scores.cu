// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/cuda/kernels.h"
#include "engine/kernels/cuda/split_bodies.h"
#include "engine/kernels/cuda/teams.h"

namespace heddle::cuda {
namespace {

/// Every query's row of scores.
template <class Pass>
void launchScores(const Pass& pass, const ScoreShape& shape, cudaStream_t queue) {
    launchRows(pass, shape.batch * shape.heads * shape.queries, quadsOf(shape.keys), queue);
}

/// Calls `use` with the type, and with the number of parts as a compile-time constant.
template <class Use>
void withSplit(const SplitWeightsArguments& a, const Use& use) {
    withType(a.type, [&](auto type) {
        if (a.parts == 2)
            use(type, std::integral_constant<int, 2>{});
        else
            use(type, std::integral_constant<int, 3>{});
    });
}

}  // namespace

void launch(const ScoreWeightsArguments& a, cudaStream_t queue) {
    withTypes(a.sumType, a.rawType, [&](auto sum, auto raw) {
        launchScores(ScoreWeightsPass<typename decltype(raw)::Type, typename decltype(sum)::Type, kQuadsOfLane>{a}, a.shape,
                     queue);
    });
}

void launch(const ScoreWeightsBackwardArguments& a, cudaStream_t queue) {
    withTypes(a.sumType, a.rawType, [&](auto sum, auto raw) {
        launchScores(ScoreWeightsBackwardPass<typename decltype(raw)::Type, typename decltype(sum)::Type, kQuadsOfLane>{a},
                     a.shape, queue);
    });
}

void launch(const ScoreGateArguments& a, cudaStream_t queue) {
    withTypes(a.scoreType, a.mixedType, [&](auto score, auto mixed) {
        launchScores(ScoreGatePass<typename decltype(score)::Type, typename decltype(mixed)::Type>{a}, a.shape, queue);
    });
}

void launch(const ScoreGateBackwardArguments& a, cudaStream_t queue) {
    withTypes(a.forward.scoreType, a.forward.mixedType, [&](auto score, auto mixed) {
        launchScores(ScoreGateBackwardPass<typename decltype(score)::Type, typename decltype(mixed)::Type>{a}, a.forward.shape,
                     queue);
    });
}

void launch(const SplitWeightsArguments& a, cudaStream_t queue) {
    withSplit(a, [&](auto type, auto parts) {
        launchScores(SplitWeightsPass<typename decltype(type)::Type, kQuadsOfLane, decltype(parts)::value>{a}, a.shape, queue);
    });
}

void launch(const SplitWeightsBackwardArguments& a, cudaStream_t queue) {
    withSplit(a.forward, [&](auto type, auto parts) {
        launchScores(SplitWeightsBackwardPass<typename decltype(type)::Type, kQuadsOfLane, decltype(parts)::value>{a},
                     a.forward.shape, queue);
    });
}

}  // namespace heddle::cuda
