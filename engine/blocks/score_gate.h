// SPDX-License-Identifier: Apache-2.0
// The gate of a score carry (thesis, eq. 3.5–3.6; variants.md 4.1–4.3), a part of the block score.add:
//   T(p) = ψ(p W + B)    T′(p) = p ⊙ T(p)    p, T, T′ [B,H,Q,K]; W [H,S,S] mixes keys; B [H,S], [H,S,S], [H] or none
// S is the longest sequence that the gate takes; of shorter ones it reads W[:, :K, :K].
#pragma once

#include "engine/blocks/options.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#ifdef HEDDLE_MODULES
#include "engine/blocks/block.h"
#include "engine/kernels/cpu/score_kernels.h"
#endif

namespace heddle {

struct ScoreGateDropoutOptions {
    double p = 0;
    std::string mode;
};

/// Members of the parameter `gate` of score.add.
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

/// The earlier layers, as distances, whose gate stands in the layer `where`; of a gate on the sum one entry, the nearest.
/// `offsets`: of score.add, all of them.
std::vector<std::int64_t> scoreGates(const BlockContext& where, std::vector<std::int64_t> offsets,
                                     const ScoreGateOptions& gate);

/// S of these gates.
std::int64_t scoreGateLength(const BlockContext& where, const ScoreGateOptions& gate);

/// Parameters of one gate, and its multiplications for one query.
std::int64_t scoreGateCount(const BlockContext& where, const ScoreGateOptions& gate);
double scoreGateFlops(const BlockContext& where, const ScoreGateOptions& gate);

#ifdef HEDDLE_MODULES

/// One gate; const after construction.
class ScoreGate {
public:
    /// `context`: of the rule that owns the gate; `name`: of the gate below it; `exposure`: of T.
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
