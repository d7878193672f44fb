// SPDX-License-Identifier: Apache-2.0
// The gate of a score carry (thesis, eq. 3.5–3.6; variants.md 4.1–4.3), a part of the block score.add:
//   T(p) = ψ(p W + B)    T′(p) = p ⊙ T(p)    p, T, T′ [B,H,Q,K]; W [H,S,S] mixes keys; B [H,S], [H,S,S], [H] or none
// S is the maximum sequence length; for shorter sequences the gate uses W[:, :K, :K].
#pragma once

#include "engine/blocks/options.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#ifdef HEDDLE_MODULES
#include "engine/blocks/block.h"
#include "engine/kernels/score_kernels.h"
#include "engine/kernels/short_attention.h"
#endif

namespace heddle {

/// What dropout makes of the gate.
enum class GateDropout { Zero, Identity, Element };
template <>
struct ChoiceWords<GateDropout> {
    static constexpr ChoiceWord<GateDropout> kAll[] = {
        {"zero", GateDropout::Zero}, {"identity", GateDropout::Identity}, {"element", GateDropout::Element}};
};

struct ScoreGateDropoutOptions {
    double p = 0;
    GateDropout mode{};
};

enum class GateBias { Vector, None, Full, Scalar };
template <>
struct ChoiceWords<GateBias> {
    static constexpr ChoiceWord<GateBias> kAll[] = {
        {"vector", GateBias::Vector}, {"none", GateBias::None}, {"full", GateBias::Full}, {"scalar", GateBias::Scalar}};
};

enum class GateHeads { PerHead, Shared };
template <>
struct ChoiceWords<GateHeads> {
    static constexpr ChoiceWord<GateHeads> kAll[] = {{"per_head", GateHeads::PerHead}, {"shared", GateHeads::Shared}};
};

/// What the gate reads at hidden keys.
enum class MaskedInput { Zero, Raw, NegativeLarge };
template <>
struct ChoiceWords<MaskedInput> {
    static constexpr ChoiceWord<MaskedInput> kAll[] = {
        {"zero", MaskedInput::Zero}, {"raw", MaskedInput::Raw}, {"neg_large", MaskedInput::NegativeLarge}};
};

/// Which layers have a gate.
enum class GateCount { AllLayers, WithEarlier };
template <>
struct ChoiceWords<GateCount> {
    static constexpr ChoiceWord<GateCount> kAll[] = {{"all_layers", GateCount::AllLayers},
                                                     {"with_prev", GateCount::WithEarlier}};
};

enum class GateInit { Glorot, Zeros, SmallIdentity };
template <>
struct ChoiceWords<GateInit> {
    static constexpr ChoiceWord<GateInit> kAll[] = {
        {"glorot", GateInit::Glorot}, {"zeros", GateInit::Zeros}, {"identity_eps", GateInit::SmallIdentity}};
};

/// How the gate treats a sequence shorter than S outside training.
enum class ShortInput { Slice, Drop, Identity };
template <>
struct ChoiceWords<ShortInput> {
    static constexpr ChoiceWord<ShortInput> kAll[] = {
        {"slice", ShortInput::Slice}, {"drop", ShortInput::Drop}, {"identity", ShortInput::Identity}};
};

enum class GateOwner { Consumer, Producer };
template <>
struct ChoiceWords<GateOwner> {
    static constexpr ChoiceWord<GateOwner> kAll[] = {{"consumer", GateOwner::Consumer}, {"producer", GateOwner::Producer}};
};

/// Members of the option `gate` of score.add.
struct ScoreGateOptions {
    Activation act{};
    bool perSource = false;
    GateBias bias{};
    std::optional<std::int64_t> maxLen;
    GateHeads heads{};
    MaskedInput maskPrev{};
    GateCount count{};
    GateInit init{};
    ScoreGateDropoutOptions dropout;
    double scoreDropout = 0;
    ShortInput infer{};
    GateOwner owner{};
};
const OptionFields<ScoreGateOptions>& scoreGateOptions();

/// Offsets of the earlier layers whose gate is in the layer `where`; one entry, the nearest, for a gate on the sum. `offsets`:
/// all offsets of score.add.
std::vector<std::int64_t> scoreGates(const BlockContext& where, std::vector<std::int64_t> offsets,
                                     const ScoreGateOptions& gate);

/// S of these gates.
std::int64_t scoreGateLength(const BlockContext& where, const ScoreGateOptions& gate);

/// Parameters of one gate, and its FLOPs per query.
std::int64_t scoreGateCount(const BlockContext& where, const ScoreGateOptions& gate);
double scoreGateFlops(const BlockContext& where, const ScoreGateOptions& gate);

#ifdef HEDDLE_MODULES

/// One gate; const after construction.
class ScoreGate {
public:
    /// `context`: of the rule that owns the gate; `name`: the gate's name below it; `exposure`: the tap of T.
    ScoreGate(const BuildContext& context, const ScoreGateOptions& gate, const std::string& name, const char* exposure);

    /// T′(p).
    at::Tensor operator()(const at::Tensor& p_BHQK, const Forward& f) const;
    /// Puts the gate into a term whose p is known; false: it has another form there, or a tap replaces T.
    bool addTo(CarriedTerm& term, const Forward& f) const;
    bool isWatched(const Forward& f) const { return f.wants(path_, exposure_); }  ///< a tap wants T

private:
    at::Tensor weightOf(std::int64_t keys) const;
    at::Tensor mixed(const at::Tensor& p_BHQK) const;
    at::Tensor opening(at::Tensor x_BHQK, const Forward& f) const;
    at::Tensor gated(const at::Tensor& p_BHQK, const Forward& f) const;
    at::Tensor biasOf(std::int64_t queries, std::int64_t keys) const;
    at::Tensor withDropout(const at::Tensor& p_BHQK, const at::Tensor& gated_BHQK, const Forward& f) const;
    void checkLength(const at::Tensor& p_BHQK) const;

    std::string path_, stream_;
    Activation activation_;
    GateBias bias_;
    ShortInput infer_;
    GateDropout dropoutMode_;
    const char* exposure_;
    std::int64_t length_;
    double dropout_;
    bool looksAcross_;
    at::Tensor w_HSS_, b_;
};

#endif

}  // namespace heddle
