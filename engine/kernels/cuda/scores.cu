// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/cuda/kernels.h"
#include "engine/kernels/cuda/score_bodies.h"
#include "engine/kernels/cuda/teams.h"

namespace heddle::cuda {
namespace {

/// Every query's row of scores.
template <class Pass>
void launchScores(const Pass& pass, const ScoreShape& shape, cudaStream_t queue) {
    launchRows(pass, shape.batch * shape.heads * shape.queries, quadsOf(shape.keys), queue);
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

void launch(const SplitArguments& a, cudaStream_t queue) {
    withType(a.type, [&](auto type) { launchScores(SplitPass<typename decltype(type)::Type>{a}, a.shape, queue); });
}

void launch(const SplitBackwardArguments& a, cudaStream_t queue) {
    withType(a.type, [&](auto type) { launchScores(SplitBackwardPass<typename decltype(type)::Type>{a}, a.shape, queue); });
}

}  // namespace heddle::cuda
