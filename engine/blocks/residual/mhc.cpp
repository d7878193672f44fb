// SPDX-License-Identifier: Apache-2.0
// Manifold-constrained hyper-connections (Xie et al. 2025, eq. 14–19) over N residual streams H [B,S,N,D], N copies of the
// stack's input at the start and summed at its end:
//   r = Σ_i p_i h_i    h′_i = Σ_j M_ij h_j + q_i s    s [B,S,D] the sublayer's output for r
//   p = σ(α_p x φ_p + b_p)    q = 2 σ(α_q x φ_q + b_q)    M = SK(α_M x φ_M + b_M)    x = RMSNorm(vec H) [B,S,N·D]
// SK(L), Sinkhorn–Knopp: exp L, then columns and rows divided by their sums in turn, so that M becomes doubly stochastic.
// φ [N²+2N,N·D]; b_p, b_q [N], b_M [N,N]; α [3], 0.01 at the start.
#include "engine/blocks/block_file.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/streams.h"
#endif

#include <cmath>

namespace heddle {

namespace {

struct MhcOptions {
    std::int64_t streams = 4, iterations = 20;
    double keep = 0, eps = 0;
};

const OptionFields<MhcOptions>& mhcOptions() {
    static const auto kFields =
        OptionFields<MhcOptions>()
            .add(&MhcOptions::streams,
                 fields::integer("streams", 4, {2, 16}, "Number of residual streams N, the same in the whole stack."))
            .add(&MhcOptions::iterations,
                 fields::integer("iterations", 20, {1, 100}, "Iterations of Sinkhorn–Knopp; columns are divided first."))
            .add(&MhcOptions::keep,
                 fields::number("keep", 0.9, {1e-3, 0.999},
                                "Initial share of a stream that stays in it; the rest is shared equally by the others."))
            .add(&MhcOptions::eps, fields::number("eps", 1e-6, {1e-15, 1}, "ε, added to the mean square of the streams."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeMhcResidual() {
    using Quantity = Exposure::Quantity;
    BlockDescriptor b;
    b.title = "Manifold-constrained hyper-connections";
    b.summary =
        "Manifold-constrained hyper-connections (Xie et al. 2025): hyper-connections whose mixing of the residual streams is "
        "doubly stochastic, so that it neither enlarges nor loses what the streams hold.";
    b.formula =
        "r = Σ_i p_i h_i, h′_i = Σ_j M_ij h_j + q_i s; p = σ(α_p x φ_p + b_p), q = 2 σ(α_q x φ_q + b_q), M = SK(α_M x φ_M + "
        "b_M), x = RMSNorm(vec h)";
    b.shapes = "h [B,S,N,D]; r, s [B,S,D]; p, q [B,S,N], M [B,S,N,N]; φ [N²+2N,N·D]";
    b.reference = "Xie et al. 2025 (arXiv 2512.24880), eq. 14–19";
    b.reading =
        "Reading. x has no gain of its own, since φ contains one. The initial biases are ours, so that equal streams start "
        "near a pre-norm residual connection: p at 1/N, q at 1, M with `keep` on its diagonal; φ starts as init says. The "
        "streams are summed at the end of the stack, as those of hyper-connections are.";
    b.parameters = mhcOptions().schema();
    b.parameterCount = mhcOptions().on([](const BlockContext& where, const MhcOptions& o) {
        const std::int64_t weights = o.streams * (o.streams + 2);
        return weights * (o.streams * where.dims.d + 1) + 3;
    });
    b.flopsPerToken = mhcOptions().on([](const BlockContext& where, const MhcOptions& o) {
        const std::int64_t weights = o.streams * (o.streams + 2);
        return 2.0 * static_cast<double>(weights * where.dims.d * (o.streams + 1));
    });
    b.exposures = {
        {"read", "share p of each stream in the sublayer's input", Quantity::UnitGate, "BSN", 0, 1, true, false, true},
        {"mix", "mixing M of the streams", Quantity::UnitGate, "BSNN", 0, 1, true, false, true},
        {"write", "share q of the output for each stream", Quantity::SignedGate, "BSN", 0, 2, true, false, true},
        {"stream_norm", "length of each stream", Quantity::Scalar, "N", 0, 100, true, false, false}};
    b.streams = mhcOptions().reading([](const MhcOptions& o) { return o.streams; });
    return b;
}

#else

namespace {

class MhcResidual final : public StreamsResidual {
public:
    MhcResidual(const BuildContext& c, const MhcOptions& o)
        : StreamsResidual(c.scope.path(), o.streams, c.type), iterations_(o.iterations), eps_(o.eps) {
        using Kind = Initial::Kind;
        const std::int64_t n = o.streams;
        const auto others = static_cast<double>(n - 1);
        map_ = {c.scope.factor(c.scope.declare("map.weight", {n * (n + 2), n * c.where.dims.d})), {}};
        scale_3_ = c.scope.declare("scale", {3}, {Kind::Constant, 0.01});
        read_N_ = c.scope.declare("read", {n}, {Kind::Constant, -std::log(others)});
        mix_NN_ = c.scope.declare("mix", {n, n}, {Kind::Identity, std::log(o.keep * others / (1 - o.keep))});
        write_N_ = c.scope.declare("write", {n}, {Kind::Zeros});
    }

    Reading read(const at::Tensor& h_BSND, const Forward& f) const override {
        showNorms(h_BSND, f);
        const std::int64_t n = streams();
        const at::Tensor vec_BSW = h_BSND.flatten(-2);
        const at::Tensor x_BSW = vec_BSW * (vec_BSW.square().mean(-1, true) + eps_).rsqrt();
        const at::Tensor made = map_(x_BSW).to(scale_3_.scalar_type());
        const auto scale = [&](std::int64_t i) { return scale_3_.narrow(0, i, 1); };
        const at::Tensor read_BSN = at::sigmoid(at::addcmul(read_N_, scale(0), made.narrow(-1, 0, n)));
        const at::Tensor write_BSN = 2 * at::sigmoid(at::addcmul(write_N_, scale(1), made.narrow(-1, n, n)));
        const at::Tensor mix_BSNN =
            doublyStochastic(at::addcmul(mix_NN_, scale(2), made.narrow(-1, 2 * n, n * n).unflatten(-1, {n, n})));
        return {mixStreams(shown("read", read_BSN, h_BSND, f).unsqueeze(-2), h_BSND).squeeze(-2),
                mixStreams(shown("mix", mix_BSNN, h_BSND, f), h_BSND), shown("write", write_BSN, h_BSND, f)};
    }

private:
    /// Of exp(logits), in logarithms, where no sum overflows.
    at::Tensor doublyStochastic(const at::Tensor& logits_BSNN) const {
        at::Tensor log_BSNN = logits_BSNN;
        for (std::int64_t i = 0; i < iterations_; ++i) log_BSNN = at::log_softmax(at::log_softmax(log_BSNN, -2), -1);
        return log_BSNN.exp();
    }

    std::int64_t iterations_;
    double eps_;
    Linear map_;
    at::Tensor scale_3_, read_N_, mix_NN_, write_N_;
};

}  // namespace

std::unique_ptr<Block> makeMhcResidual(const BuildContext& context) {
    return std::make_unique<MhcResidual>(context, mhcOptions().read(context.params));
}

#endif

}  // namespace heddle
