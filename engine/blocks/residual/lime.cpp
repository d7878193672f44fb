// SPDX-License-Identifier: Apache-2.0
// Layer-integrated memory (LIMe, Gerasimov et al. 2025), in the dynamic form of x-transformers' integrate_layers. A sublayer
// reads a weighted sum of the streams that entered the sublayers so far; every position has its own weights:
//   y = r + s,  s = f(N(Σ_j p_j x_j)),  p = softmax(W RMSNorm(r) + b),  RMSNorm(r) = γ ⊙ r / √(mean(r²) + ε)
// x_0 … x_i = r the streams before sublayers with this block; from the second layer on an attention to the stream itself has
// three such mixtures, for queries, keys and values. weights = relu: p = ReLU(W RMSNorm(r) + b). r, s, y, x [B,S,D]; p
// [B,S,V·L], V mixtures of L = i+1 states; W [V·L,D], b [V·L], γ [D].
#include "engine/blocks/block_file.h"
#include "engine/blocks/residual/depth_weights.h"
#include "engine/blocks/residual/stream_views.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/streams.h"
#endif

namespace heddle {

enum class LimeWeights { Softmax, Relu };
template <>
struct ChoiceWords<LimeWeights> {
    static constexpr ChoiceWord<LimeWeights> kAll[] = {{"softmax", LimeWeights::Softmax}, {"relu", LimeWeights::Relu}};
};

namespace {

struct LimeOptions {
    LimeWeights weights{};
    double eps = 0;
};

const OptionFields<LimeOptions>& limeOptions() {
    static const auto kFields =
        OptionFields<LimeOptions>()
            .add(&LimeOptions::weights, fields::choice<LimeWeights>(
                                            "weights", "Whether the weights are a softmax over the states, or a ReLU of each."))
            .add(&LimeOptions::eps, fields::number("eps", 1e-6, {1e-15, 1}, "ε, added to the mean square of the stream."));
    return kFields;
}

/// The sizes of a sublayer's mixtures.
struct LimeForm {
    std::int64_t states = 1, views = 1;
    bool hasWeights = true;  ///< a softmax of a single state is 1
};

LimeForm limeFormOf(const BlockContext& where, const LimeOptions& o) {
    const std::int64_t states = where.before + 1;
    const StreamViews views = where.layer > 0 ? StreamViews::Qkv : StreamViews::One;
    return {states, mixturesOf(where, views), states > 1 || o.weights == LimeWeights::Relu};
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeLimeResidual() {
    BlockDescriptor b;
    b.title = "Layer-integrated memory (LIMe)";
    b.summary =
        "Layer-integrated memory (LIMe, Gerasimov et al. 2025): queries, keys and values of attention, and the feed-forward "
        "network, read mixtures of the streams before all earlier sublayers, weighed at every position.";
    b.formulaOf = limeOptions().reading([](const LimeOptions& o) {
        const std::string weights = o.weights == LimeWeights::Softmax ? "softmax" : "ReLU";
        return "y = r + s, s = f(N(Σ_j p_j x_j)), p = " + weights + "(W RMSNorm(r) + b), x_i = r";
    });
    b.shapes = "r, s, y, x [B,S,D]; p [B,S,V·(i+1)]; W [V·(i+1),D], b [V·(i+1)], γ [D]; V = 3 in attention, else 1";
    b.reference = "LIMe, Gerasimov et al. 2025 (arXiv 2502.09245); DynamicLIMe and integrate_layers of x-transformers 2.16.1";
    b.reading =
        "Reading. As in x-transformers, weights depend on the position, and self-attention from the second layer on mixes for "
        "queries, keys and values separately, in this order among the weights. The paper routes keys and values, head by head. "
        "The first sublayer reads the stream alone; with softmax it has no parameters here.";
    b.parameters = limeOptions().schema();
    b.parameterCount = limeOptions().on([](const BlockContext& where, const LimeOptions& o) -> std::int64_t {
        const auto [states, views, hasWeights] = limeFormOf(where, o);
        return hasWeights ? where.dims.d + views * states * (where.dims.d + 1) : 0;
    });
    b.flopsPerToken = limeOptions().on([](const BlockContext& where, const LimeOptions& o) {
        const auto [states, views, hasWeights] = limeFormOf(where, o);
        return hasWeights ? 4.0 * static_cast<double>(views * states * where.dims.d) : 0.0;
    });
    b.exposures = {{kDepthWeight, "weights p over depth", Exposure::Quantity::SignedGate, "BSL", -1, 2, true, false, true}};
    b.reads = DepthReading::Entries;
    return b;
}

#else

namespace {

class LimeResidual final : public DepthResidual {
public:
    LimeResidual(const BuildContext& c, const LimeOptions& o)
        : path_(c.scope.path()), form_(limeFormOf(c.where, o)), weights_(o.weights), eps_(o.eps) {
        if (!form_.hasWeights) return;
        gain_D_ = c.scope.declare("gain", {c.where.dims.d}, {Initial::Kind::Ones});
        map_ = declareLinear(c.scope / "map", c.where.dims.d, form_.views * form_.states);
    }

    Entry enter(DepthStates& states, const at::Tensor& h_BSD, const Forward& f) const override {
        if (form_.states == 1)
            states.front() = h_BSD;  // h⁰ is the stream before the first sublayer, but for positions that are added to it
        else
            states.push_back(h_BSD);
        if (!form_.hasWeights && !f.wants(path_, kDepthWeight) && !f.replaces(path_, kDepthWeight)) return {h_BSD, h_BSD};
        const at::Tensor weights_BSL = f.pass(path_, kDepthWeight, weightsOf(h_BSD));
        const auto mixed = [&](std::int64_t view) {
            return weightedSum(weights_BSL.narrow(-1, view * form_.states, form_.states), states);
        };
        if (form_.views == 1) return {h_BSD, mixed(0)};
        return {h_BSD, mixed(0), mixed(1), mixed(2)};
    }

    at::Tensor joinOver(DepthStates&, const at::Tensor& r_BSD, const at::Tensor& s_BSD, const Forward&) const override {
        return r_BSD + s_BSD;
    }

private:
    /// Returns p, [B,S,V·L]: the weights of one mixture after those of another.
    at::Tensor weightsOf(const at::Tensor& h_BSD) const {
        if (!form_.hasWeights) return at::ones_like(h_BSD.narrow(-1, 0, 1));
        const at::Tensor normed_BSD = gain_D_ * h_BSD * (h_BSD.square().mean(-1, true) + eps_).rsqrt();
        const at::Tensor made_BSL = map_(normed_BSD).to(h_BSD.scalar_type());
        if (weights_ == LimeWeights::Relu) return at::relu(made_BSL);
        return at::softmax(made_BSL.unflatten(-1, {form_.views, form_.states}), -1).flatten(-2);
    }

    std::string path_;
    LimeForm form_;
    LimeWeights weights_;
    double eps_;
    at::Tensor gain_D_;  // γ
    Linear map_;
};

}  // namespace

std::unique_ptr<Block> makeLimeResidual(const BuildContext& context) {
    return std::make_unique<LimeResidual>(context, limeOptions().read(context.params));
}

#endif

}  // namespace heddle
