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
#endif

namespace heddle {

struct ScoreGateDropoutOptions {
    double p = 0;
    std::string mode;
};

/// Members of the option `gate` of score.add.
struct ScoreGateOptions {
    std::string act;
    bool perSource = false;
    std::string bias;
    std::optional<std::int64_t> maxLen;
    std::string heads, maskPrev, count, init;
    ScoreGateDropoutOptions dropout;
    double scoreDropout = 0;
    std::string infer, owner;
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

private:
    at::Tensor mixed(const at::Tensor& p_BHQK) const;
    at::Tensor opening(at::Tensor x_BHQK, const Forward& f) const;
    at::Tensor gated(const at::Tensor& p_BHQK, const Forward& f) const;
    at::Tensor biasOf(std::int64_t queries, std::int64_t keys) const;
    at::Tensor activate(const at::Tensor& x) const;
    at::Tensor withDropout(const at::Tensor& p_BHQK, const at::Tensor& gated_BHQK, const Forward& f) const;
    void checkLength(const at::Tensor& p_BHQK) const;

    static cuda::GateActivation activationNamed(const std::string& name);

    std::string path_, stream_;
    cuda::GateActivation activation_;
    std::string bias_, infer_, dropoutMode_;
    const char* exposure_;
    std::int64_t length_;
    double dropout_;
    bool looksAcross_;
    at::Tensor w_HSS_, b_;
};

#endif

}  // namespace heddle
