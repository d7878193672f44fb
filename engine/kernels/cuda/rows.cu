// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/cuda/kernels.h"
#include "engine/kernels/cuda/row_bodies.h"
#include "engine/kernels/cuda/teams.h"

namespace heddle::cuda {

void launch(const AddNormArguments& a, cudaStream_t queue) {
    withType(a.type, [&](auto type) {
        launchRows(AddNormPass<typename decltype(type)::Type, kQuadsOfLane>{a}, a.rows, quadsOf(a.width), queue);
    });
}

void launch(const AddNormBackwardArguments& a, cudaStream_t queue) {
    const std::int64_t blocks = (a.forward.rows + a.rowsPerPartial - 1) / a.rowsPerPartial;
    withType(a.forward.type, [&](auto type) {
        launchRows(AddNormBackwardPass<typename decltype(type)::Type, kQuadsOfLane>{a}, blocks, quadsOf(a.forward.width),
                   queue);
    });
}

void launch(const CrossEntropyArguments& a, cudaStream_t queue) {
    withType(a.type, [&](auto type) {
        launchRows(CrossEntropyPass<typename decltype(type)::Type, kQuadsOfLane>{a}, a.rows, quadsOf(a.classes), queue);
    });
    launchTeams<512>(LossSumsPass{a}, 3, queue);
}

void launch(const ScatterRowsArguments& a, cudaStream_t queue) {
    withType(a.type, [&](auto type) {
        launchRows(ScatterRowsPass<typename decltype(type)::Type>{a}, a.rows, quadsOf(a.width), queue);
    });
}

void launch(const EmbeddingGradientArguments& a, cudaStream_t queue) {
    if (a.rows == 0) return;
    withType(a.type,
             [&](auto type) { launchTeams<512>(EmbeddingGradientPass<typename decltype(type)::Type>{a}, a.rows, queue); });
}

void launch(const ColumnSumsArguments& a, cudaStream_t queue) {
    if (a.batches * a.rows * a.columns == 0) return;
    const std::int64_t items = a.batches * partsOfRows(a) * blocksOfColumns(a, kWarp);
    withType(a.type, [&](auto type) { launchTeams<512>(ColumnSumsPass<typename decltype(type)::Type>{a}, items, queue); });
}

}  // namespace heddle::cuda
