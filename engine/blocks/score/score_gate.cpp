// SPDX-License-Identifier: Apache-2.0
#include "engine/blocks/score/score_gate.h"

#ifdef HEDDLE_MODULES
#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/head_products.h"
#endif

#include <algorithm>

namespace heddle {

namespace {

const OptionFields<ScoreGateDropoutOptions>& scoreGateDropoutOptions() {
    static const auto kFields =
        OptionFields<ScoreGateDropoutOptions>()
            .add(&ScoreGateDropoutOptions::p,
                 fields::number("p", 0, fields::kDropout,
                                "Dropout probability; in modes zero and identity, of dropping the whole gate for a batch."))
            .add(&ScoreGateDropoutOptions::mode,
                 fields::choice<GateDropout>("mode",
                                             "Value of a dropped gate: T′ = 0 (zero) or T′ = p (identity); "
                                             "element: single values of T are dropped instead."));
    return kFields;
}

/// Sizes read by both halves of the file.
struct GateSizes {
    std::int64_t heads, length;
};

GateSizes sizesOf(const BlockContext& where, const ScoreGateOptions& gate) {
    return {gate.heads == GateHeads::Shared ? 1 : where.dims.heads, gate.maxLen.value_or(where.dims.maxLen)};
}

std::vector<std::int64_t> biasSizes(GateBias bias, const GateSizes& sizes) {
    switch (bias) {
    case GateBias::Vector: return {sizes.heads, sizes.length};
    case GateBias::Full: return {sizes.heads, sizes.length, sizes.length};
    case GateBias::Scalar: return {sizes.heads};
    case GateBias::None: break;
    }
    return {0};  // an empty tensor: no bias
}

}  // namespace

const OptionFields<ScoreGateOptions>& scoreGateOptions() {
    static const auto kFields =
        OptionFields<ScoreGateOptions>()
            .add(&ScoreGateOptions::act,
                 fields::choice("act", {Activation::Tanh, Activation::Sigmoid, Activation::Relu, Activation::Hardtanh},
                                "Activation ψ of the gate."))
            .add(&ScoreGateOptions::perSource,
                 fields::flag(
                     "per_source", false,
                     "Whether every earlier layer has its own gate, instead of one gate on their sum (thesis, section 9.3)."))
            .add(&ScoreGateOptions::bias,
                 fields::choice<GateBias>("bias",
                                          "Bias B of each head: one value per key (vector), none, one per query "
                                          "and key (full), or a single value (scalar)."))
            .add(&ScoreGateOptions::maxLen,
                 fields::derivable(fields::integer("max_len", nullptr, {1, 1 << 16},
                                                   "Length S of the longest sequence; null: dims.max_len.")))
            .add(&ScoreGateOptions::heads,
                 fields::choice<GateHeads>("heads", "Whether every head has its own W and B, or all heads share them."))
            .add(&ScoreGateOptions::maskPrev,
                 fields::choice<MaskedInput>(
                     "mask_prev",
                     "Input of the gate at masked keys: 0, the raw score (information about future keys leaks into "
                     "visible ones), or −1e9 (W can turn it into +1e9)."))
            .add(&ScoreGateOptions::count,
                 fields::choice<GateCount>("count",
                                           "Whether layers without an earlier layer to read have a gate too "
                                           "(all_layers, as the thesis counts), or only the others."))
            .add(&ScoreGateOptions::init,
                 fields::choice<GateInit>(
                     "init",
                     "Initial W: uniform within ±√(3/S), zeros (with tanh the model then starts as the one without "
                     "carried scores), or 0.01 on the diagonal; B starts at 0."))
            .add(&ScoreGateOptions::dropout,
                 fields::object("dropout", scoreGateDropoutOptions().schema(),
                                "Dropout of the gate during training (thesis, section 9.4)."),
                 scoreGateDropoutOptions())
            .add(&ScoreGateOptions::scoreDropout,
                 fields::number("score_dropout", 0, fields::kDropout,
                                "Dropout probability of single scores before the gate during training."))
            .add(&ScoreGateOptions::infer,
                 fields::choice<ShortInput>("infer",
                                            "Gate for sequences shorter than S outside training: the upper left "
                                            "part of W and B (slice), T′ = 0 (drop), or T′ = p (identity)."))
            .add(&ScoreGateOptions::owner,
                 fields::choice<GateOwner>("owner",
                                           "Which layer owns the gate: the one that reads the scores "
                                           "(consumer), or the nearest one whose scores are read (producer)."));
    return kFields;
}

// Descriptors and modules must agree on which gates exist and how large they are.

std::vector<std::int64_t> scoreGates(const BlockContext& where, std::vector<std::int64_t> offsets,
                                     const ScoreGateOptions& gate) {
    if (!gate.perSource && !offsets.empty()) offsets = {*std::min_element(offsets.begin(), offsets.end())};
    if (gate.count == GateCount::AllLayers) return offsets;
    const std::int64_t depth = where.stack == StackName::Encoder ? where.dims.layersEnc : where.dims.layersDec;
    const bool produces = gate.owner == GateOwner::Producer;
    const std::int64_t farthest = where.passes > 1 ? where.passes - 1 : produces ? depth - 1 - where.layer : where.layer;
    offsets.erase(std::remove_if(offsets.begin(), offsets.end(), [&](auto offset) { return offset > farthest; }),
                  offsets.end());
    return offsets;
}

std::int64_t scoreGateLength(const BlockContext& where, const ScoreGateOptions& gate) { return sizesOf(where, gate).length; }

std::int64_t scoreGateCount(const BlockContext& where, const ScoreGateOptions& gate) {
    const GateSizes sizes = sizesOf(where, gate);
    const std::int64_t ofWeight = sizes.heads * sizes.length * sizes.length;
    std::int64_t ofBias = 1;
    for (const std::int64_t size : biasSizes(gate.bias, sizes)) ofBias *= size;
    return ofWeight + ofBias;
}

double scoreGateFlops(const BlockContext& where, const ScoreGateOptions& gate) {
    const std::int64_t keys = std::min(where.sequenceLength(), scoreGateLength(where, gate));
    return 2.0 * static_cast<double>(where.dims.heads * keys * keys);
}

#ifdef HEDDLE_MODULES

namespace {

/// Returns the activation's name in the kernels; nothing if no kernel has it.
std::optional<cuda::GateActivation> kernelOf(Activation act) {
    switch (act) {
    case Activation::Tanh: return cuda::GateActivation::Tanh;
    case Activation::Sigmoid: return cuda::GateActivation::Sigmoid;
    case Activation::Relu: return cuda::GateActivation::Relu;
    case Activation::Hardtanh: return cuda::GateActivation::Hardtanh;
    case Activation::Gelu:
    case Activation::GeluTanh:
    case Activation::Silu:
    case Activation::Relu2:
    case Activation::None: break;
    }
    return std::nullopt;
}

/// Returns `count` entries of an axis of x. Returns x itself for all entries, since narrow() would copy the gradient into
/// zeros.
at::Tensor partOf(const at::Tensor& x, std::int64_t axis, std::int64_t first, std::int64_t count) {
    return count == x.size(axis) ? x : x.narrow(axis, first, count);
}

}  // namespace

ScoreGate::ScoreGate(const BuildContext& c, const ScoreGateOptions& gate, const std::string& name, const char* exposure)
    : path_(c.scope.path()),
      stream_((c.scope / name).path()),
      activation_(gate.act),
      bias_(gate.bias),
      infer_(gate.infer),
      dropoutMode_(gate.dropout.mode),
      exposure_(exposure),
      length_(scoreGateLength(c.where, gate)),
      dropout_(gate.dropout.p),
      looksAcross_(c.where.sublayer == SublayerName::Cross) {
    constexpr double kEps = 0.01;
    const GateSizes sizes = sizesOf(c.where, gate);
    Initial start{Initial::Kind::Zeros};
    if (gate.init == GateInit::Glorot) start = {Initial::Kind::Uniform, std::sqrt(3.0 / static_cast<double>(sizes.length))};
    if (gate.init == GateInit::SmallIdentity) start = {Initial::Kind::Identity, kEps};
    const ParameterScope scope = c.scope / name;
    w_HSS_ = scope.declare("weight", {sizes.heads, sizes.length, sizes.length}, start);
    if (bias_ != GateBias::None) b_ = scope.declare("bias", biasSizes(bias_, sizes), {Initial::Kind::Zeros});
}

at::Tensor ScoreGate::operator()(const at::Tensor& p_BHQK, const Forward& f) const {
    if (!f.training && infer_ == ShortInput::Drop) return at::zeros_like(p_BHQK);
    if (!f.training && infer_ == ShortInput::Identity) return p_BHQK;
    checkLength(p_BHQK);
    return withDropout(p_BHQK, gated(p_BHQK, f), f);
}

bool ScoreGate::addTo(CarriedTerm& term, const Forward& f) const {
    const std::optional<cuda::GateActivation> kernel = kernelOf(activation_);
    const bool isAsIs = f.training ? dropout_ <= 0 : infer_ == ShortInput::Slice;
    if (!kernel || !isAsIs || bias_ == GateBias::Full || f.replaces(path_, exposure_)) return false;
    checkLength(term.p_BHQK);
    const std::int64_t keys = term.p_BHQK.size(3);
    term.activation = *kernel;
    term.weight_HKK = weightOf(keys);
    if (bias_ == GateBias::Vector) term.bias = partOf(b_, 1, 0, keys);
    if (bias_ == GateBias::Scalar) term.bias = b_.unsqueeze(-1);
    return true;
}

/// W[:, :K, :K].
at::Tensor ScoreGate::weightOf(std::int64_t keys) const { return partOf(partOf(w_HSS_, 1, 0, keys), 2, 0, keys); }

/// p W.
at::Tensor ScoreGate::mixed(const at::Tensor& p_BHQK) const {
    const at::Tensor w_HKK = weightOf(p_BHQK.size(3));
    return w_HKK.size(0) == 1 ? at::matmul(p_BHQK, w_HKK.squeeze(0)) : headMap(p_BHQK, w_HKK);
}

/// T(p) from x = p W.
at::Tensor ScoreGate::opening(at::Tensor x_BHQK, const Forward& f) const {
    if (b_.defined()) x_BHQK = x_BHQK + biasOf(x_BHQK.size(2), x_BHQK.size(3));
    x_BHQK = f.pass(path_, exposure_, activated(activation_, x_BHQK));
    return dropoutMode_ == GateDropout::Element ? f.dropout(x_BHQK, dropout_, stream_ + ".dropout") : x_BHQK;
}

/// p ⊙ T(p), fused if there is a kernel and no tap replaces T.
at::Tensor ScoreGate::gated(const at::Tensor& p_BHQK, const Forward& f) const {
    at::Tensor x_BHQK = mixed(p_BHQK);
    const bool dropsElements = f.training && dropoutMode_ == GateDropout::Element && dropout_ > 0;
    const std::optional<cuda::GateActivation> kernel = kernelOf(activation_);
    if (!kernel || f.path == Forward::Path::Reference || dropsElements || f.replaces(path_, exposure_))
        return p_BHQK * opening(std::move(x_BHQK), f);
    const at::Tensor bias_HQK = b_.defined() ? biasOf(p_BHQK.size(2), p_BHQK.size(3)) : b_;
    const auto gated_BHQK = gatedScores(p_BHQK, x_BHQK, bias_HQK, *kernel);
    if (!gated_BHQK) return p_BHQK * opening(std::move(x_BHQK), f);
    if (f.wants(path_, exposure_)) {
        const at::NoGradGuard forTheTapsAlone;
        opening(x_BHQK, f);
    }
    return *gated_BHQK;
}

/// B for this number of queries and keys, broadcast to [B,H,Q,K]. In self-attention the queries are the last positions of the
/// keys.
at::Tensor ScoreGate::biasOf(std::int64_t queries, std::int64_t keys) const {
    if (bias_ == GateBias::Vector) return partOf(b_, 1, 0, keys).unsqueeze(1);
    if (bias_ == GateBias::Full) return partOf(partOf(b_, 1, looksAcross_ ? 0 : keys - queries, queries), 2, 0, keys);
    return b_.unsqueeze(-1).unsqueeze(-1);
}

/// Skips the whole gate for this batch with probability p. The kept gate is not rescaled.
at::Tensor ScoreGate::withDropout(const at::Tensor& p_BHQK, const at::Tensor& gated_BHQK, const Forward& f) const {
    if (!f.training || dropout_ <= 0 || dropoutMode_ == GateDropout::Element) return gated_BHQK;
    const at::Tensor isKept = f.dropout(at::ones({1}, gated_BHQK.options()), dropout_, stream_ + ".dropout").gt(0);
    return at::where(isKept, gated_BHQK, dropoutMode_ == GateDropout::Zero ? at::zeros_like(p_BHQK) : p_BHQK);
}

void ScoreGate::checkLength(const at::Tensor& p_BHQK) const {
    const std::int64_t longest = std::max(p_BHQK.size(3), bias_ == GateBias::Full ? p_BHQK.size(2) : 0);
    if (longest <= length_) return;
    throwInvalid("a sequence of " + std::to_string(longest) + " tokens is longer than the maximum of the score gate, " +
                     std::to_string(length_),
                 stream_, "drop or split longer sentences (dims.max_len), or give a larger score.gate.max_len");
}

#endif

}  // namespace heddle
