// SPDX-License-Identifier: Apache-2.0
// Manifold-constrained hyper-connections (Xie et al. 2025, eq. 14–19) over N residual streams H [B,S,N,D], N copies of the
// stack's input at the start and summed at its end:
//   r = Σ_i p_i h_i    h′_i = Σ_j M_ij h_j + q_i s    s [B,S,D] the sublayer's output for r
//   p = σ(α_p x φ_p + b_p)    q = 2 σ(α_q x φ_q + b_q)    M = SK(α_M x φ_M + b_M)    x = RMSNorm(vec H) [B,S,N·D]
// SK(L), Sinkhorn–Knopp: exp L, then columns and rows divided by their sums in turn, so that M becomes doubly stochastic.
// φ [N²+2N,N·D]; b_p, b_q [N], b_M [N,N]; α [3], 0.01 at the start.
// views = qkv: attention to the stream itself reads V = 3 mixtures, r^v = Σ_i p_vi h_i for queries, keys and values, in these
// rows of φ [N²+(V+1)N,N·D] before the others; b_p [V,N].
#include "engine/blocks/block_file.h"
#include "engine/blocks/residual/stream_views.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/streams.h"
#endif

#include <cmath>

namespace heddle {

namespace {

struct MhcOptions {
    std::int64_t streams = 4, iterations = 20;
    double keep = 0, eps = 0;
    StreamViews views{};
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
            .add(&MhcOptions::eps, fields::number("eps", 1e-6, {1e-15, 1}, "ε, added to the mean square of the streams."))
            .add(&MhcOptions::views, viewsField());
    return kFields;
}

/// How many weights of reading, mixing and writing a sublayer makes.
std::int64_t mhcWeights(const BlockContext& where, const MhcOptions& o) {
    return o.streams * (o.streams + 1 + mixturesOf(where, o.views));
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
    b.shapes =
        "h [B,S,N,D]; r, s [B,S,D]; p, q [B,S,N], M [B,S,N,N]; φ [N²+2N,N·D]; views qkv: p [B,S,3,N], φ [N²+4N,N·D] "
        "in attention";
    b.reference = "Xie et al. 2025 (arXiv 2512.24880), eq. 14–19";
    b.reading =
        "Reading. x has no gain of its own, since φ contains one. The initial biases are ours, so that equal streams start "
        "near a pre-norm residual connection: p at 1/N, q at 1, M with `keep` on its diagonal; φ starts as init says. The "
        "streams are summed at the end of the stack, as those of hyper-connections are. `views` is an option of x-transformers "
        "(qkv_receive_diff_residuals), not of the paper.";
    b.parameters = mhcOptions().schema();
    b.parameterCount = mhcOptions().on([](const BlockContext& where, const MhcOptions& o) {
        const std::int64_t weights = mhcWeights(where, o);
        return weights * (o.streams * where.dims.d + 1) + 3;
    });
    b.flopsPerToken = mhcOptions().on([](const BlockContext& where, const MhcOptions& o) {
        const std::int64_t weights = mhcWeights(where, o);
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
        : StreamsResidual(c.scope.path(), o.streams, c.type),
          views_(mixturesOf(c.where, o.views)),
          iterations_(o.iterations),
          eps_(o.eps) {
        using Kind = Initial::Kind;
        const std::int64_t n = o.streams;
        const std::vector<std::int64_t> ofReading = views_ == 1 ? std::vector{n} : std::vector{views_, n};
        const auto others = static_cast<double>(n - 1);
        map_ = {c.scope.factor(c.scope.declare("map.weight", {mhcWeights(c.where, o), n * c.where.dims.d})), {}};
        scale_3_ = c.scope.declare("scale", {3}, {Kind::Constant, 0.01});
        read_VN_ = c.scope.declare("read", ofReading, {Kind::Constant, -std::log(others)});
        mix_NN_ = c.scope.declare("mix", {n, n}, {Kind::Identity, std::log(o.keep * others / (1 - o.keep))});
        write_N_ = c.scope.declare("write", {n}, {Kind::Zeros});
    }

    Reading read(const at::Tensor& h_BSND, const Forward& f) const override {
        showNorms(h_BSND, f);
        const std::int64_t n = streams(), reads = views_ * n;
        const at::Tensor vec_BSW = h_BSND.flatten(-2);
        const at::Tensor x_BSW = vec_BSW * (vec_BSW.square().mean(-1, true) + eps_).rsqrt();
        const at::Tensor made = map_(x_BSW).to(scale_3_.scalar_type());
        const auto scale = [&](std::int64_t i) { return scale_3_.narrow(0, i, 1); };
        const at::Tensor read_BSN = at::sigmoid(at::addcmul(read_VN_.flatten(), scale(0), made.narrow(-1, 0, reads)));
        const at::Tensor write_BSN = 2 * at::sigmoid(at::addcmul(write_N_, scale(1), made.narrow(-1, reads, n)));
        const at::Tensor mix_BSNN =
            doublyStochastic(at::addcmul(mix_NN_, scale(2), made.narrow(-1, reads + n, n * n).unflatten(-1, {n, n})));
        Reading reading = mixtures(shown("read", read_BSN, h_BSND, f), h_BSND);
        reading.kept_BSND = mixStreams(shown("mix", mix_BSNN, h_BSND, f), h_BSND);
        reading.write_BSN = shown("write", write_BSN, h_BSND, f);
        return reading;
    }

private:
    /// Of exp(logits), in logarithms, where no sum overflows.
    at::Tensor doublyStochastic(const at::Tensor& logits_BSNN) const {
        at::Tensor log_BSNN = logits_BSNN;
        for (std::int64_t i = 0; i < iterations_; ++i) log_BSNN = at::log_softmax(at::log_softmax(log_BSNN, -2), -1);
        return log_BSNN.exp();
    }

    std::int64_t views_, iterations_;
    double eps_;
    Linear map_;
    at::Tensor scale_3_, read_VN_, mix_NN_, write_N_;  // read [N] with one mixture
};

}  // namespace

std::unique_ptr<Block> makeMhcResidual(const BuildContext& context) {
    return std::make_unique<MhcResidual>(context, mhcOptions().read(context.params));
}

#endif

}  // namespace heddle
