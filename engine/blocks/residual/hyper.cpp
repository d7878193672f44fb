// SPDX-License-Identifier: Apache-2.0
// Hyper-connections (Zhu et al. 2025, eq. 1–5 and 10–14, algorithm 2) over N residual streams H [B,S,N,D], N copies of the
// stack's input at the start and summed at its end:
//   r = Σ_i a_i h_i    h′_j = Σ_i A_ij h_i + b_j s    s [B,S,D] the sublayer's output for r
// static: a, b [N] and A [N,N] are learned.
// dynamic: a_i += s_α tanh(W_a n_i), A_ij += s_α tanh(W_A n_i)_j, b_i += s_β tanh(w_b · n_i), n_i = LN(h_i);
//   W_a, w_b [1,D], W_A [N,D] start at 0, s_α, s_β at 0.01.
// a starts at e_(k mod N) in the k-th sublayer, A at I, b at 1: then each stream is that of pre-norm.
// views = qkv: attention to the stream itself reads V = 3 mixtures, r^v = Σ_i a_vi h_i for queries, keys and values
// (num_input_views of x-transformers' HyperConnection); a [V,N], W_a [V,D], all at the same start.
#include "engine/blocks/block_file.h"
#include "engine/blocks/residual/stream_views.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/streams.h"
#endif

namespace heddle {

enum class HyperForm { Dynamic, Static };
template <>
struct ChoiceWords<HyperForm> {
    static constexpr ChoiceWord<HyperForm> kAll[] = {{"dynamic", HyperForm::Dynamic}, {"static", HyperForm::Static}};
};

namespace {

constexpr double kHyperScale = 0.01, kHyperNormEps = 1e-5;

struct HyperOptions {
    std::int64_t streams = 4;
    HyperForm form{};
    StreamViews views{};
};

const OptionFields<HyperOptions>& hyperOptions() {
    static const auto kFields =
        OptionFields<HyperOptions>()
            .add(&HyperOptions::streams,
                 fields::integer("streams", 4, {1, 16}, "Number of residual streams N, the same in the whole stack."))
            .add(&HyperOptions::form,
                 fields::choice<HyperForm>(
                     "form", "Whether the weights depend on the streams at each position, or are learned numbers."))
            .add(&HyperOptions::views, viewsField());
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeHyperResidual() {
    using Quantity = Exposure::Quantity;
    BlockDescriptor b;
    b.title = "Hyper-connections";
    b.summary =
        "Hyper-connections (Zhu et al. 2025): the sublayer reads a mixture of several residual streams, which are mixed with "
        "each other and each get a share of its output.";
    b.formulaOf = hyperOptions().reading([](const HyperOptions& o) -> std::string {
        if (o.form == HyperForm::Static) return "r = Σ_i a_i h_i, h′_j = Σ_i A_ij h_i + b_j s";
        return "r = Σ_i a_i h_i, h′_j = Σ_i A_ij h_i + b_j s; [a, A]_i = [a, A]_i⁰ + s_α tanh(W LN(h_i)), b_i = b_i⁰ + s_β "
               "tanh(w · LN(h_i))";
    });
    b.shapes =
        "h [B,S,N,D]; r, s [B,S,D]; a, b [N], A [N,N], by position [B,S,N], [B,S,N,N]; W [N+1,D], w [D]; views qkv: a "
        "[3,N], W [N+3,D] in attention";
    b.reference = "Zhu et al. 2025 (arXiv 2409.19606), eq. 1–5 and 10–14, algorithm 2";
    b.reading =
        "Reading. The streams are summed at the end of the stack, before its final norm, as in the paper; at the start all N "
        "are equal, so that without a final norm the output is N times that of pre-norm. The paper's factor √N for the initial "
        "output matrices is left out. `views` is an option of x-transformers (qkv_receive_diff_residuals), not of the paper.";
    b.parameters = hyperOptions().schema();
    b.parameterCount = hyperOptions().on([](const BlockContext& where, const HyperOptions& o) {
        const std::int64_t n = o.streams, made = n + 1 + mixturesOf(where, o.views), fixed = n * made;
        return o.form == HyperForm::Static ? fixed : fixed + (made + 2) * where.dims.d + 2;
    });
    b.flopsPerToken = hyperOptions().on([](const BlockContext& where, const HyperOptions& o) {
        const std::int64_t n = o.streams, mixing = n * (n + 1 + mixturesOf(where, o.views));
        const std::int64_t made = o.form == HyperForm::Static ? 0 : mixing;
        return 2.0 * static_cast<double>((mixing + made) * where.dims.d);
    });
    b.exposures = {
        {"read", "share a of each stream in the sublayer's input", Quantity::SignedGate, "BSN", -1, 2, true, false, true},
        {"mix", "mixing A of the streams", Quantity::SignedGate, "BSNN", -1, 2, true, false, true},
        {"write", "share b of the output for each stream", Quantity::SignedGate, "BSN", -1, 2, true, false, true},
        {"stream_norm", "length of each stream", Quantity::Scalar, "N", 0, 100, true, false, false}};
    b.streams = hyperOptions().reading([](const HyperOptions& o) { return o.streams; });
    return b;
}

#else

namespace {

class HyperResidual final : public StreamsResidual {
public:
    HyperResidual(const BuildContext& c, const HyperOptions& o) : StreamsResidual(c.scope.path(), o.streams, c.type) {
        using Kind = Initial::Kind;
        const std::int64_t n = o.streams, d = c.where.dims.d, views = mixturesOf(c.where, o.views);
        const std::vector<std::int64_t> ofReading = views == 1 ? std::vector{n} : std::vector{views, n};
        read_VN_ = c.scope.declare("read", ofReading, {Kind::Unit, static_cast<double>(c.where.before % n)});
        mix_NN_ = c.scope.declare("mix", {n, n}, {Kind::Identity, 1});
        write_N_ = c.scope.declare("write", {n}, {Kind::Ones});
        if (o.form == HyperForm::Static) return;
        norm_ = declareLayerNorm(c.scope / "norm", d, kHyperNormEps);
        ofRead_ = mapOf(c.scope / "of_read", views, d);
        ofMix_ = mapOf(c.scope / "of_mix", n, d);
        ofWrite_ = mapOf(c.scope / "of_write", 1, d);
        inScale_1_ = c.scope.declare("in_scale", {1}, {Kind::Constant, kHyperScale});
        outScale_1_ = c.scope.declare("out_scale", {1}, {Kind::Constant, kHyperScale});
    }

    Reading read(const at::Tensor& h_BSND, const Forward& f) const override {
        showNorms(h_BSND, f);
        at::Tensor read_BSN = read_VN_.flatten(), mix_BSNN = mix_NN_, write_BSN = write_N_;
        if (inScale_1_.defined()) {
            const at::Tensor n_BSND = norm_(h_BSND);
            read_BSN = at::addcmul(read_BSN, inScale_1_, at::tanh(ofRead_(n_BSND)).transpose(-2, -1).flatten(-2));
            mix_BSNN = at::addcmul(mix_NN_, inScale_1_, at::tanh(ofMix_(n_BSND)));
            write_BSN = at::addcmul(write_N_, outScale_1_, at::tanh(ofWrite_(n_BSND)).squeeze(-1));
        }
        read_BSN = shown("read", read_BSN, h_BSND, f);
        mix_BSNN = shown("mix", mix_BSNN, h_BSND, f);
        Reading reading = mixtures(read_BSN, h_BSND);
        reading.kept_BSND = mixStreams(mix_BSNN.transpose(-2, -1), h_BSND);
        reading.write_BSN = shown("write", write_BSN, h_BSND, f);
        return reading;
    }

private:
    static Linear mapOf(const ParameterScope& scope, std::int64_t out, std::int64_t in) {
        return {scope.factor(scope.declare("weight", {out, in}, {Initial::Kind::Zeros})), {}};
    }

    at::Tensor read_VN_, mix_NN_, write_N_;  // read [N] with one mixture
    LayerNormMap norm_;
    Linear ofRead_, ofMix_, ofWrite_;
    at::Tensor inScale_1_, outScale_1_;  // undefined: static
};

}  // namespace

std::unique_ptr<Block> makeHyperResidual(const BuildContext& context) {
    return std::make_unique<HyperResidual>(context, hyperOptions().read(context.params));
}

#endif

}  // namespace heddle
