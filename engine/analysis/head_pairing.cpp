// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/head_pairing.h"

#include "engine/base/error.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/run_spec.h"

#include <optional>
#include <vector>

namespace heddle {
namespace {

/// What two models must have in common for their heads to be of one shape, and the weights that a run started with.
struct Beginning {
    std::vector<std::int64_t> sizes;
    std::vector<std::string> sublayers;
    std::string weights;  ///< of a checkpoint that it started with; empty: random ones
};

/// Nothing for a spec of a newer program, or a damaged one.
std::optional<Beginning> beginningOf(const PairedModel& model) {
    try {
        const RunSpec spec = RunSpec::parse(parseJson(model.spec, "spec"), builtinCatalogue());
        const ResolvedVariant variant = spec.variant.resolve();
        const Dims& dims = variant.dims;
        Beginning made{{dims.d, dims.heads, dims.keyDim, dims.valueDim, dims.keyHeads()}, {}, {}};
        for (const ResolvedSublayer* sublayer : sublayersOf(variant)) made.sublayers.push_back(sublayer->path);
        const StartSpec& start = spec.train.start;
        made.weights = start.weightsSha256.empty() ? start.checkpoint : start.weightsSha256;
        return made;
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace

HeadPairing headPairing(const PairedModel& a, const PairedModel& b) {
    if (a.id == b.id) return HeadPairing::OneRun;
    const auto beginA = beginningOf(a), beginB = beginningOf(b);
    if (!beginA || !beginB) return HeadPairing::UnknownShapes;
    if (beginA->sizes != beginB->sizes || beginA->sublayers != beginB->sublayers) return HeadPairing::OtherShapes;
    const bool isFork = a.lineage == b.id || b.lineage == a.id || (!a.lineage.empty() && a.lineage == b.lineage);
    if (isFork) return HeadPairing::CommonBeginning;
    if (beginA->weights != beginB->weights) return HeadPairing::OtherWeights;
    return a.seed == b.seed ? HeadPairing::OneSeed : HeadPairing::OtherSeeds;
}

bool headsCorrespond(HeadPairing pairing) { return pairing <= HeadPairing::OneSeed; }

}  // namespace heddle
