// SPDX-License-Identifier: Apache-2.0
// The gate of a score carry (thesis, eq. 3.5–3.6; variants.md 4.1–4.3), a part of the block score.add:
//   T(p) = ψ(p W + B)    T′(p) = p ⊙ T(p)    p, T, T′ [B,H,Q,K]; W [H,S,S] mixes keys; B [H,S], [H,S,S], [H] or none
// S is the longest sequence that the gate takes; of shorter ones it reads W[:, :K, :K].
#pragma once

#include "engine/spec/block_descriptor.h"

#include <string>
#include <vector>

#ifdef HEDDLE_MODULES
#include "engine/blocks/block.h"
#include "engine/device/score_kernels.h"
#endif

namespace heddle {

/// Parameter `gate` of score.add.
FieldSchema scoreGateField();

/// The earlier layers, as distances, whose gate stands in the layer `where`; of a gate on the sum one entry, the nearest.
/// `rule`: the parameters of score.add with a gate.
std::vector<std::int64_t> scoreGates(const BlockContext& where, const Json& rule);

/// S of these gates.
std::int64_t scoreGateLength(const BlockContext& where, const Json& rule);

/// Parameters of one gate, and its multiplications for one query.
std::int64_t scoreGateCount(const BlockContext& where, const Json& rule);
double scoreGateFlops(const BlockContext& where, const Json& rule);

/// Tensors of the scores' size that a training pass holds of one gate.
std::size_t scoreGateKept(const Json& gate);

#ifdef HEDDLE_MODULES

/// One gate; const after construction.
class ScoreGate {
public:
    /// `context`: of the rule that owns the gate; `name`: of the gate below it; `exposure`: of T.
    ScoreGate(const BuildContext& context, const std::string& name, const char* exposure);

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
