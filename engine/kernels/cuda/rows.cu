// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/cuda/bias_bodies.h"
#include "engine/kernels/cuda/kernels.h"
#include "engine/kernels/cuda/loss_bodies.h"
#include "engine/kernels/cuda/norm_bodies.h"
#include "engine/kernels/cuda/sum_bodies.h"
#include "engine/kernels/cuda/teams.h"
#include "engine/kernels/cuda/update_bodies.h"

namespace heddle::cuda {

namespace {

/// Calls `use` with how many quads a lane holds of a row of `quads` quads, as a compile-time constant. A small constant needs
/// few registers.
template <class Use>
void withQuadsOfLane(std::int64_t quads, const Use& use) {
    if (quads <= std::int64_t{kQuadsOfLane} / 2 * lanesFor(quads))
        use(std::integral_constant<int, kQuadsOfLane / 2>{});
    else
        use(std::integral_constant<int, kQuadsOfLane>{});
}

/// Calls `use` with the flag as a compile-time constant.
template <class Use>
void withFlag(bool flag, const Use& use) {
    if (flag)
        use(std::true_type{});
    else
        use(std::false_type{});
}

/// Parts of the rows times blocks of columns.
template <class Arguments>
std::int64_t partItems(const Arguments& a) {
    return partsOfRows(a) * blocksOfColumns(a, kWarp);
}

/// Launches a backward pass whose blocks take rowsPerPartial rows each.
template <template <class, int> class Pass, class Arguments>
void launchBlocks(const Arguments& a, cudaStream_t queue) {
    const std::int64_t quads = quadsOf(a.forward.width);
    withType(a.forward.type, [&](auto type) {
        withQuadsOfLane(quads, [&](auto held) {
            launchBlocksOfRows(Pass<typename decltype(type)::Type, decltype(held)::value>{a},
                               partialsOf(a.forward.rows, a.rowsPerPartial), quads, queue);
        });
    });
}

}  // namespace

void launch(const AddNormArguments& a, cudaStream_t queue) {
    withType(a.type, [&](auto type) {
        withQuadsOfLane(quadsOf(a.width), [&](auto held) {
            launchRows(AddNormPass<typename decltype(type)::Type, decltype(held)::value>{a}, a.rows, quadsOf(a.width), queue);
        });
    });
}

void launch(const AddNormBackwardArguments& a, cudaStream_t queue) { launchBlocks<AddNormBackwardPass>(a, queue); }

void launch(const TanhUpdateArguments& a, cudaStream_t queue) {
    withType(a.type,
             [&](auto type) { launchRows(TanhUpdatePass<typename decltype(type)::Type>{a}, a.rows, quadsOf(a.width), queue); });
}

void launch(const TanhUpdateBackwardArguments& a, cudaStream_t queue) { launchBlocks<TanhUpdateBackwardPass>(a, queue); }

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

void launch(const SortedEmbeddingGradientArguments& a, cudaStream_t queue) {
    const std::int64_t items = a.of.rows * blocksOfColumns(a.of, kWarp);
    if (items == 0) return;
    const bool hasAdded = a.added[0] || a.added[1] || a.added[2], drops = hasAdded || a.drop.threshold > 0 || a.scale != 1;
    withType(a.of.type, [&](auto type) {
        withFlag(drops, [&](auto kDrops) {
            launchTeams<kTeamThreads>(SortedEmbeddingGradientPass<typename decltype(type)::Type, decltype(kDrops)::value>{a},
                                      items, queue);
        });
    });
}

void launch(const EmbedArguments& a, cudaStream_t queue) { launchRows(EmbedPass{a}, a.rows, quadsOf(a.width), queue); }

void launch(const ColumnSumsArguments& a, cudaStream_t queue) {
    if (a.batches * a.rows * a.columns == 0) return;
    const std::int64_t items = a.batches * partItems(a);
    withType(a.type, [&](auto type) { launchTeams<512>(ColumnSumsPass<typename decltype(type)::Type>{a}, items, queue); });
}

void launch(const ReluDropoutBackwardArguments& a, cudaStream_t queue) {
    withType(a.type, [&](auto type) {
        launchTeams<512>(ReluDropoutBackwardPass<typename decltype(type)::Type>{a}, partItems(a), queue);
    });
}

void launch(const GeluBackwardArguments& a, cudaStream_t queue) {
    withType(a.type,
             [&](auto type) { launchTeams<512>(GeluBackwardPass<typename decltype(type)::Type>{a}, partItems(a), queue); });
}

void launch(const AdjustBackwardArguments& a, cudaStream_t queue) {
    withTypes(a.streamType, a.type, [&](auto stream, auto type) {
        launchTeams<512>(AdjustBackwardPass<typename decltype(stream)::Type, typename decltype(type)::Type>{a}, partItems(a),
                         queue);
    });
}

void launch(const PackedSumsArguments& a, cudaStream_t queue) {
    static_assert(sizeof(PackedSumsPass) + sizeof(std::int64_t) <= 4096, "more than a kernel's arguments can have");
    if (a.items > 0) launchTeams<512>(PackedSumsPass{a}, a.items, queue);
}

void launch(const HistogramArguments& a, cudaStream_t queue) {
    withType(a.type, [&](auto type) { launchTeams<512>(HistogramPass<typename decltype(type)::Type>{a}, a.bins + 4, queue); });
}

}  // namespace heddle::cuda
