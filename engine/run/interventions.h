// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json_fwd.h"
#include "engine/spec/variant_spec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace heddle {

/// The changes to a trained model that show what a part of it contributes, a closed set of plain values. Paths are module paths
/// of the resolved variant. None of them changes stored data.

/// An attention head contributes nothing: its weights are 0 for every key, so that its part of the output projection's input is
/// 0. Its scores still go to later layers.
struct MuteHead {
    std::string path;       ///< of the sublayer, "encoder.layers.0.self"
    std::int64_t head = 0;  ///< from 0
    bool operator==(const MuteHead&) const = default;
};
/// Of MeanOutput and ResampleOutput: a sublayer or a gate, not a head.
inline constexpr std::int64_t kNoHead = -1;

/// An output is its mean over all positions, without padding, of the examples that are measured, for each feature, in the
/// trained model (Wang et al. 2022, arXiv 2211.00593). The output of a head before the output projection; of a
/// sublayer on its way to the residual connection; of a gate over the positions. Not in a training, which has no such examples.
struct MeanOutput {
    std::string path;  ///< of the sublayer, or of the exposure, "encoder.layers.0.self.residual.gate"
    std::int64_t head = kNoHead;
    bool operator==(const MeanOutput&) const = default;
};
/// An output is that of another example of the batch, position by position; where the other example is shorter, its positions
/// begin again (Chan et al. 2022, "Causal scrubbing"; Zhang and Nanda 2023, arXiv 2309.16042). Which one: a permutation without
/// fixed points of the batch's rows, from kResampleSeed. Outputs as of MeanOutput. Not in a training, and not where texts are
/// written, whose rows are not those of a batch.
struct ResampleOutput {
    std::string path;
    std::int64_t head = kNoHead;
    bool operator==(const ResampleOutput&) const = default;
};
inline constexpr std::uint64_t kResampleSeed = 1;

/// All elements of an exposure have one value. Attention weights that are 0 stay 0: those of keys that a query must not see.
struct ClampExposure {
    std::string path;  ///< "encoder.layers.0.self.residual.gate"
    double value = 0;
    bool operator==(const ClampExposure&) const = default;
};
/// An exposure is multiplied by a factor.
struct ScaleExposure {
    std::string path;
    double factor = 1;
    bool operator==(const ScaleExposure&) const = default;
};
/// A layer's attention reads no scores of earlier layers, as the first layer does; later layers still read its own.
struct CutCarry {
    std::string path;  ///< of the sublayer
    bool operator==(const CutCarry&) const = default;
};
/// A sublayer's residual connection returns the stream r unchanged. Norms stay, and scores still go to later layers.
struct IdentityResidual {
    std::string path;  ///< of the sublayer
    bool operator==(const IdentityResidual&) const = default;
};
/// A block's parameters have the values that make it ineffective (BlockDescriptor::neutral).
struct NeutralBlock {
    std::string path;  ///< of the block, "encoder.layers.0.self.residual"
    bool operator==(const NeutralBlock&) const = default;
};

using Intervention =
    std::variant<MuteHead, MeanOutput, ResampleOutput, ClampExposure, ScaleExposure, CutCarry, IdentityResidual, NeutralBlock>;

/// "mute", "mean", "resample", "clamp", "scale", "cut_carry", "identity", "neutral": the alternatives in their order.
std::vector<std::string> interventionKinds();
std::string kindOf(const Intervention& intervention);
/// The command line's option for a kind: "--cut-carry".
std::string optionOf(const std::string& kind);
const std::string& pathOf(const Intervention& intervention);
/// The head that it silences: of MuteHead, and of MeanOutput and ResampleOutput of a head. Otherwise nothing.
std::optional<MuteHead> headOf(const Intervention& intervention);

/// From "PATH:HEAD" (mute; mean and resample of a head), "PATH=NUMBER" (clamp, scale) or "PATH" (the others). Throws
/// Error(Usage) naming the kind.
Intervention parseIntervention(const std::string& kind, const std::string& text);
/// The text that parseIntervention() reads: "encoder.layers.0.self:3".
std::string textOf(const Intervention& intervention);

/// {"kind":"mute","path":…,"head":3}; mean and resample have "head" where they have one, resample "seed", clamp "value", scale
/// "factor".
Json interventionDocument(const Intervention& intervention);
/// Parses such a document. Throws Error(InvalidInput) for any other.
Intervention readIntervention(const Json& document);

/// The parts of a model that can be changed; each list is in the order of the model.
struct InterventionTargets {
    struct Attention {
        std::string path;
        std::int64_t heads = 0;
    };
    std::vector<Attention> attentions;
    std::vector<ModuleExposure> exposures;  ///< all exposures; the clampable ones can be changed
    std::vector<std::string> carries;       ///< sublayers that read scores of earlier layers
    std::vector<std::string> residuals;     ///< sublayers, except those that widen the stream (recurrent networks)
    std::vector<std::string> neutral;       ///< blocks that can be made ineffective
    std::vector<std::string> clampable() const;
    /// What mean and resample ablation can replace without a head: sublayers, and gates over the positions.
    std::vector<std::string> outputs() const;
};

/// Reads only the descriptors, so the list also has exposures that a block does not show with its settings.
InterventionTargets interventionTargets(const ResolvedVariant& variant);

/// Whether a run in training can have it: not MeanOutput and ResampleOutput, which need a fixed set of examples and weights
/// that stay.
bool isForTraining(const Intervention& intervention);

/// Whether the exposure is over the positions of one sequence, [B,S,…], so that it has a mean for each feature.
bool isOverPositions(const Exposure& exposure);
/// Whether mean and resample ablation can replace the exposure: a clampable gate over the positions.
bool isReplaceable(const Exposure& exposure);

/// Throws Error(Usage) for the first intervention that this model does not allow, naming the valid ones, for a repeated one,
/// and for a mean or another example's output of which another intervention of the list leaves nothing.
void checkInterventions(const std::vector<Intervention>& interventions, const InterventionTargets& targets);

}  // namespace heddle
