// SPDX-License-Identifier: Apache-2.0
// SEA (Lee, Kim, Willette, Hwang 2024, "SEA: Sparse Linear Attention with Estimated Attention Mask", section 3; named in the
// thesis, section 9.1): a small network estimates the attention matrix in compressed form, and its largest entries become the
// mask. Per head, E the value width, K′ the columns, c the visible keys:
//   C = P [V_I, V]    P: attention by random features (feature_attention.h); V_I: the identity, interpolated to the keys
//   z = GELU(LN(W_e [C, V] + b_e))                                            [B,H,Q,2E]
//   Â = softmax(LN(CNN(W_r z + b_r)))                                          [B,H,Q,K′]
//   M: the k K′ / c largest entries of Â per query (and group), each expanded to its range of keys (key_columns.h)
//   (s_prob, s_mix) = σ(W_s z + b_s)    Y = (s_mix s_prob ⊙ softmax(S + mask(M)) + (1 − s_mix) ⊙ ā) V
//   ā: the estimate's mean over the queries, interpolated to the keys; under a causal mask equal shares of the visible keys
// Training adds a KL(A ‖ f(Â)) + b MSE(A, f(Â)) of the layer's own attention A to all visible keys, without a gradient of its
// own; f: interpolated to the keys. CNN: two 3×3 convolutions with ReLU at half width, columns doubled, one more; channels are
// heads, and rows of padding are zero before each.
#include "engine/blocks/selector/feature_attention.h"
#include "engine/blocks/selector/key_columns.h"

#include <array>
#include <cmath>

namespace heddle {

enum class SeaGroup { CausalBatch, Query, Head, Batch };
template <>
struct ChoiceWords<SeaGroup> {
    static constexpr ChoiceWord<SeaGroup> kAll[] = {{"causal_batch", SeaGroup::CausalBatch},
                                                    {"query", SeaGroup::Query},
                                                    {"head", SeaGroup::Head},
                                                    {"batch", SeaGroup::Batch}};
};

namespace {

constexpr std::int64_t kSeaChannels = 2;  ///< channels per head in the CNN, each of K′ / 2 columns
constexpr std::int64_t kSeaTaps = 9;      ///< taps of a 3×3 convolution
constexpr const char* kEstimate = "estimate";
constexpr const char* kEstimateLoss = "estimate_loss";
constexpr const char* kDensity = "density";

struct SeaOptions {
    std::int64_t k = 0, columns = 0;
    SeaGroup group{};
    std::optional<std::int64_t> features;
    double klWeight = 0, mseWeight = 0;
};

const OptionFields<SeaOptions>& seaOptions() {
    static const auto kFields =
        OptionFields<SeaOptions>()
            .add(&SeaOptions::k, fields::integer("k", 7, {1, 1 << 20}, "Number of keys chosen per query and head."))
            .add(&SeaOptions::columns,
                 fields::integer("columns", 32, {4, 1 << 14},
                                 "Width K′ of the compressed attention matrix, even; 128 in the paper for long texts."))
            .add(&SeaOptions::group,
                 fields::choice<SeaGroup>(
                     "group",
                     "Group of entries in which the largest are chosen: all heads of a query (causal_batch), one "
                     "head of a query (query), all queries of a head (head), or a whole sentence (batch); the last "
                     "two not with a causal mask."))
            .add(&SeaOptions::features, fields::derivable(fields::integer("features", nullptr, {1, 1 << 16},
                                                                          "Number M of random features; null: E ln E.")))
            .add(&SeaOptions::klWeight,
                 fields::number("kl_weight", 0.1, {0, 1e6},
                                "Weight of the Kullback–Leibler divergence of the estimate in the training loss."))
            .add(&SeaOptions::mseWeight,
                 fields::number("mse_weight", 1, {0, 1e6},
                                "Weight of the mean squared error of the estimate, over visible keys, in the training loss."));
    return kFields;
}

/// M of Ω [M,E]: E ln E by default, as in the authors' code.
std::int64_t featureCount(const BlockContext& where, const SeaOptions& o) {
    if (o.features) return *o.features;
    const auto width = static_cast<double>(where.dims.keyDim);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::llround(width * std::log(width))));
}

}  // namespace

#ifndef HEDDLE_MODULES

namespace {

/// Sizes of the estimator.
struct SeaSizes {
    SeaSizes(const BlockContext& where, const SeaOptions& o)
        : heads(where.dims.heads),
          value(where.dims.valueDim),
          columns(o.columns),
          features(featureCount(where, o)),
          channels(kSeaChannels * heads) {}

    std::int64_t heads, value, columns, features, channels;
};

std::int64_t seaParameters(const BlockContext& where, const SeaOptions& o) {
    const SeaSizes n(where, o);
    const std::int64_t hidden = 2 * n.value, near = kSeaTaps * n.channels;
    const std::int64_t encoder = 3 * n.value * hidden + hidden + 2 * hidden, scales = 2 * hidden + 2;
    const std::int64_t rows = hidden * n.columns + n.columns, norm = 2 * n.columns;
    return encoder + scales + rows + 2 * (near * n.channels + n.channels) + near * n.heads + n.heads + norm;
}

double seaFlops(const BlockContext& where, const SeaOptions& o) {
    const SeaSizes n(where, o);
    const std::int64_t keys = where.sequenceLength(), hidden = 2 * n.value, near = kSeaTaps * n.channels;
    const std::int64_t features = 2 * n.features * where.dims.keyDim + n.features * keys + keys * hidden;
    const std::int64_t network = 3 * n.value * hidden + 2 * hidden + hidden * n.columns;
    const std::int64_t convolutions = n.columns / 2 * 2 * near * n.channels + n.columns * near * n.heads;
    return 2.0 * static_cast<double>(n.heads * (features + network) + convolutions);
}

}  // namespace

BlockDescriptor describeSeaSelector() {
    BlockDescriptor b;
    b.title = "Estimated attention mask (SEA)";
    b.summary =
        "Sparse attention with an estimated mask, SEA (Lee et al. 2024): estimates a compressed attention matrix and lets "
        "every query attend only to the keys of its largest entries.";
    b.formula =
        "z = GELU(LN(W_e [P [V_I, V], V] + b_e)), Â = softmax(LN(CNN(W_r z + b_r))), M = top-k(Â), (s_prob, s_mix) = σ(W_s z + "
        "b_s), w = s_mix s_prob ⊙ normalise(S + mask(M)) + (1 − s_mix) ⊙ ā";
    b.shapes =
        "V [B,H,K,E]; P, S, w [B,H,Q,K]; z [B,H,Q,2E]; Â, M [B,H,Q,K′]; W_e [2E,3E], W_r [K′,2E], W_s [2,2E]; ā [B,H,1,K]";
    b.reference = "Lee et al. 2024 (SEA, arXiv 2310.01777), section 3 and the authors' code; thesis, section 9.1";
    b.reading =
        "Reading. The paper distils a trained teacher. A run has none: the teacher of a layer is its own attention to all "
        "visible keys, detached, and `kl_weight` · KL(A ‖ Â) + `mse_weight` · MSE(A, Â), with Â interpolated to the keys, is "
        "added to what training minimises: for each sentence the mean over its queries and heads, then the mean over the "
        "sentences of the step. It is shown as `estimate_loss`; the recorded loss and every evaluation leave it out. The "
        "distances of contexts, of hidden states and of outputs to a teacher's have no counterpart. The gradient reaches "
        "queries, keys and values through the estimator; the choice itself has none. Beside a sliding-window mask the choice "
        "of "
        "a query also depends on keys that only its neighbours see.\n\n"
        "A key belongs to one column, and a column without a key (fewer visible keys than columns) is neither estimated nor "
        "chosen. A query takes k of its c visible keys as round(k · min(K′, c) / c) columns, at least one; `group` says over "
        "which entries they are compared, and a head of a query that gets none gives the mean alone. The mean's weights ā are "
        "divided by their sum. Under a causal mask features are rectified instead of positive exponentials, convolutions see "
        "no later row, ā is equal shares (all as in the authors' code), and V_I is interpolated over `dims.max_len` positions "
        "instead of being learned, so that no output depends on later tokens. One decoder serves both masks, with two "
        "channels a head at half the width: it keeps every row, where the authors' bidirectional one skips every second and "
        "has residual blocks, and their causal one is dilated at a quarter of the width. The random features are drawn from "
        "the seed and the block's path and stay for the run, where the authors draw them anew every 1000 steps; they are saved "
        "with the weights. Positive features take their maximum over the visible keys of a sentence and head, where the "
        "authors take it over the batch. The LayerNorm that the authors' code adds to the "
        "context and its random shift of columns in training are left out. Attention dropout acts on the mixed weights, which "
        "a later layer's score carry reads too; the map `weight` shows the attention to the chosen keys before both scales.\n\n"
        "Cross-attention is refused: the estimate reads a query's own value. Decoding runs the whole prefix at every step. "
        "Time and memory are quadratic in the length here: what is reproduced is the arithmetic, not the sparse kernels.";
    b.parameters = seaOptions().schema();
    b.needsWholeRows = b.resistsWidthTransfer = [](const Json&) { return true; };
    b.parameterCount = seaOptions().on(seaParameters);
    b.flopsPerToken = seaOptions().on(seaFlops);
    b.check = seaOptions().on([](const BlockContext& where, const SeaOptions& o) -> std::optional<Problem> {
        if (where.sublayer == SublayerName::Cross)
            return Problem{"kind", "cross-attention is not supported: the estimate needs the value of the query itself",
                           "use selector none on cross-attention: write selector at the sublayer self"};
        if (o.columns % 2 != 0)
            return Problem{"columns", "the width must be even, and " + std::to_string(o.columns) + " is odd",
                           "choose an even number"};
        return std::nullopt;
    });
    b.exposures = {
        {kEstimate, "estimated attention, interpolated to the keys", Exposure::Quantity::UnitGate, "BHQK", 0, 1, false, true,
         false},
        {kDensity, "chosen keys ÷ visible keys", Exposure::Quantity::Scalar, "1", 0, 1, true, false, false},
        {kEstimateLoss, "what training adds for the estimate", Exposure::Quantity::Scalar, "1", 0, 2, true, false, false}};
    // In a group over several queries, a later query could displace an entry of an earlier one.
    b.fits = seaOptions().on([](const Neighbours& beside, const SeaOptions& o) -> std::optional<Problem> {
        if (beside.sees == VisibleKeys::All || (o.group != SeaGroup::Head && o.group != SeaGroup::Batch)) return std::nullopt;
        return Problem{"group", beside.seesBy + " hides later keys, so the keys of a query must not depend on later queries",
                       "use causal_batch or query"};
    });
    return b;
}

#else

namespace {

constexpr double kSeaEpsilon = 1e-5;  ///< of the norms
constexpr double kLeastMass = 1e-20;  ///< smallest divisor of a row of shares

/// 1 for queries that are not padding, else 0: [b,1,Q,1] of the type of `like`.
at::Tensor realQueries(const KeyColumns& columns, const at::Tensor& like) {
    return columns.real_b11K.transpose(-1, -2).to(like.scalar_type());
}

class SeaSelector final : public Selector {
public:
    SeaSelector(const BuildContext& c, const SeaOptions& o)
        : path_(c.scope.path()),
          group_(o.group),
          keys_(o.k),
          columns_(o.columns),
          longest_(c.where.dims.maxLen),
          klWeight_(o.klWeight),
          mseWeight_(o.mseWeight),
          features_ME_(
              c.scope.declareFrozen("features", {featureCount(c.where, o), c.where.dims.keyDim}, {Initial::Kind::Features})),
          encode_(declareLinear(c.scope / "encode", 3 * c.where.dims.valueDim, 2 * c.where.dims.valueDim)),
          encodeNorm_(declareLayerNorm(c.scope / "encode_norm", 2 * c.where.dims.valueDim, kSeaEpsilon)),
          scales_(declareLinear(c.scope / "scales", 2 * c.where.dims.valueDim, 2)),
          rows_(declareLinear(c.scope / "rows", 2 * c.where.dims.valueDim, columns_)),
          near_{declareConvolution(c, "conv1", kSeaChannels), declareConvolution(c, "conv2", kSeaChannels),
                declareConvolution(c, "conv3", 1)},
          norm_(declareLayerNorm(c.scope / "norm", columns_, kSeaEpsilon)) {}

    Choice choose(const Inputs& in, const Forward& f) const override {
        const at::Tensor& v_BHKE = in.v_BHKE;
        TORCH_INTERNAL_ASSERT(in.q_BHQE.size(2) == v_BHKE.size(2), "the rules keep this selector out of cross-attention");
        const KeyColumns columns(in.hidden, v_BHKE.size(2), columns_, v_BHKE.device());
        const at::Tensor z_BHQZ = encoded(in, columns);
        const at::Tensor scores_BHQW = decoded(z_BHQZ, columns, in.hidesFuture);
        const at::Tensor estimate_BHQW =
            at::softmax(scores_BHQW.masked_fill(columns.used_b1qW.logical_not(), kHiddenScore), -1);
        const at::Tensor chosen_BHQK = chosenKeys(estimate_BHQW, columns);
        const at::Tensor counted_b1Q1 = countedQueries(columns, in);
        showDensity(chosen_BHQK, columns, counted_b1Q1, f);
        const auto scales = at::sigmoid(scales_(z_BHQZ)).split(1, -1);
        const at::Tensor &prob_BHQ1 = scales[0], &mix_BHQ1 = scales[1];
        return {chosen_BHQK.logical_not(), mix_BHQ1 * prob_BHQ1, (1 - mix_BHQ1) * meanShares(estimate_BHQW, columns, in),
                objective(scores_BHQW, columns, counted_b1Q1, in, f)};
    }

private:
    static Linear declareConvolution(const BuildContext& c, const std::string& name, std::int64_t channels) {
        const std::int64_t heads = c.where.dims.heads;
        return declareLinear(c.scope / name, kSeaTaps * kSeaChannels * heads, channels * heads);
    }

    /// z: encodes the random-feature attention output and the query's own value.
    at::Tensor encoded(const Inputs& in, const KeyColumns& columns) const {
        const at::Tensor p_BHQK =
            FeatureAttention{in.q_BHQE,         in.k_BHKE,     features_ME_, in.scale, columns.visible_b1qK,
                             columns.real_b11K, in.hidesFuture}
                .weights();
        const at::Tensor identity_BHKE = identityOf(in, columns).expand_as(in.v_BHKE);
        const at::Tensor gathered_BHQ2E = at::matmul(p_BHQK, at::cat({identity_BHKE, in.v_BHKE}, -1));
        return at::gelu(encodeNorm_(encode_(at::cat({gathered_BHQ2E, in.v_BHKE}, -1))));
    }

    /// V_I [b,1,K,E]: the identity matrix with its rows interpolated to the keys.
    at::Tensor identityOf(const Inputs& in, const KeyColumns& columns) const {
        const at::NoGradGuard noGrad;
        const std::int64_t width = in.v_BHKE.size(3);
        const at::TensorOptions numbers = in.v_BHKE.options();
        const at::Tensor real_b1K1 = realQueries(columns, in.v_BHKE);
        const at::Tensor rank_b1K1 = columns.rank_b11K.transpose(-1, -2);
        const at::Tensor last = in.hidesFuture ? at::full({1}, longest_ - 1, numbers) : real_b1K1.sum(-2, true) - 1;
        const at::Tensor place_b1K1 = (rank_b1K1.to(numbers.dtype()) * (width - 1) / last.clamp_min(1)).clamp(0, width - 1);
        return (1 - (place_b1K1 - at::arange(width, numbers)).abs()).clamp_min(0) * real_b1K1;
    }

    /// Scores of the columns, before the softmax.
    at::Tensor decoded(const at::Tensor& z_BHQZ, const KeyColumns& columns, bool hidesFuture) const {
        const at::Tensor rows_BHQW = rows_(z_BHQZ);
        const std::int64_t batch = rows_BHQW.size(0), heads = rows_BHQW.size(1), queries = rows_BHQW.size(2);
        const at::Tensor real_b1Q1 = realQueries(columns, rows_BHQW);
        // Under a causal mask the convolution reads a row and the two before it.
        const std::int64_t above = hidesFuture ? 2 : 1;
        const auto convolved = [&](const at::Tensor& x_BCQW, const Linear& near) {
            const at::Tensor framed = at::constant_pad_nd(x_BCQW * real_b1Q1, {1, 1, above, 2 - above});
            return at::conv2d(framed, near.weight.view({-1, x_BCQW.size(1), 3, 3}), near.bias);
        };
        at::Tensor x =
            rows_BHQW.view({batch, heads, queries, kSeaChannels, columns_ / kSeaChannels}).transpose(2, 3).flatten(1, 2);
        x = at::relu(convolved(x, near_[0]));
        x = at::relu(convolved(x, near_[1]));
        x = x.unsqueeze(-1).expand({-1, -1, -1, -1, kSeaChannels}).flatten(3);
        return norm_(convolved(x, near_[2]));
    }

    /// bool [B,H,Q,K]: the visible keys in the largest entries.
    at::Tensor chosenKeys(const at::Tensor& estimate_BHQW, const KeyColumns& columns) const {
        const at::NoGradGuard noGrad;
        const std::int64_t batch = estimate_BHQW.size(0), heads = estimate_BHQW.size(1), queries = estimate_BHQW.size(2);
        const at::Tensor real_b1Q1 = columns.real_b11K.transpose(-1, -2);
        const at::Tensor offered_b1QW = columns.used_b1qW.logical_and(real_b1Q1);
        const at::Tensor entries_BHQW = estimate_BHQW.detach().masked_fill(offered_b1QW.logical_not(), -1);
        const at::Tensor share_b1q1 = columns.used_b1qW.sum(-1, true), &seen_b1q1 = columns.keys_b1q1;
        // round(k · columns / keys), half up.
        const at::Tensor rounded_b1q1 = at::div(2 * keys_ * share_b1q1 + seen_b1q1, 2 * seen_b1q1, "floor");
        const at::Tensor quota_b1q1 = at::minimum(rounded_b1q1.clamp_min(1), share_b1q1);
        const at::Tensor quota_BHQ1 = (quota_b1q1 * real_b1Q1).expand({batch, heads, queries, 1});
        const at::Tensor isTop_BHQW = largest(entries_BHQW, quota_BHQ1).logical_and(offered_b1QW);
        return columns.toKeys(isTop_BHQW, queries).logical_and(columns.visible_b1qK);
    }

    /// The largest entries of every group, up to the sum of its queries' quotas.
    at::Tensor largest(const at::Tensor& entries_BHQW, const at::Tensor& quota_BHQ1) const {
        if (group_ == SeaGroup::Query) return firstOf(entries_BHQW, quota_BHQ1);
        const std::int64_t batch = entries_BHQW.size(0), heads = entries_BHQW.size(1), queries = entries_BHQW.size(2);
        if (group_ == SeaGroup::CausalBatch) {
            const at::Tensor isTop = firstOf(entries_BHQW.transpose(1, 2).flatten(2), quota_BHQ1.sum(1));
            return isTop.view({batch, queries, heads, -1}).transpose(1, 2);
        }
        const bool ofHead = group_ == SeaGroup::Head;
        const at::Tensor quota = ofHead ? quota_BHQ1.sum(2) : quota_BHQ1.sum({1, 2});
        return firstOf(entries_BHQW.flatten(ofHead ? 2 : 1), quota).view(entries_BHQW.sizes());
    }

    /// True for the `count` largest of each row; ties go to the first.
    static at::Tensor firstOf(const at::Tensor& rows, const at::Tensor& count) {
        const at::Tensor order = std::get<1>(rows.sort(/*stable=*/true, -1, /*descending=*/true));
        const at::Tensor ranks = at::arange(rows.size(-1), order.options()).expand_as(order);
        return at::empty_like(order).scatter_(-1, order, ranks).lt(count);
    }

    /// ā: the mean estimate over the queries, interpolated to the keys.
    at::Tensor meanShares(const at::Tensor& estimate_BHQW, const KeyColumns& columns, const Inputs& in) const {
        const at::Tensor visible_b1qK = columns.visible_b1qK.to(estimate_BHQW.scalar_type());
        // If the queries see different keys, one column stands for different keys in each query.
        if (in.hidesFuture || visible_b1qK.size(2) > 1) return visible_b1qK / columns.keys_b1q1;
        const at::Tensor real_b1Q1 = realQueries(columns, estimate_BHQW);
        const at::Tensor mean_BH1W = (estimate_BHQW * real_b1Q1).sum(-2, true) / real_b1Q1.sum(-2, true).clamp_min(1);
        const at::Tensor shares = columns.toKeys(mean_BH1W, visible_b1qK.size(2)) * visible_b1qK;
        return shares / shares.sum(-1, true).clamp_min(kLeastMass);
    }

    /// The auxiliary loss; undefined without training and without taps.
    at::Tensor objective(const at::Tensor& scores_BHQW, const KeyColumns& columns, const at::Tensor& counted_b1Q1,
                         const Inputs& in, const Forward& f) const {
        const bool trains = f.training && at::GradMode::is_enabled() && klWeight_ + mseWeight_ > 0;
        if (!trains && !f.wants(path_, kEstimate) && !f.wants(path_, kEstimateLoss)) return {};
        const at::AutoGradMode gradients(trains);
        const at::Tensor spread_BHQK = columns.toKeys(scores_BHQW, scores_BHQW.size(2));
        const at::Tensor logs_BHQK =
            at::log_softmax(spread_BHQK.masked_fill(columns.visible_b1qK.logical_not(), kHiddenScore), -1);
        const at::Tensor guess_BHQK = logs_BHQK.exp(), weights_BHQK = in.dense().to(logs_BHQK.scalar_type());
        if (f.wants(path_, kEstimate)) f.pass(path_, kEstimate, guess_BHQK.detach());
        const at::Tensor divergence_BHQ1 = (at::xlogy(weights_BHQK, weights_BHQK) - weights_BHQK * logs_BHQK).sum(-1, true);
        const at::Tensor error_BHQ1 = (guess_BHQK - weights_BHQK).square().sum(-1, true) / columns.keys_b1q1;
        const at::Tensor row_BHQ1 = (klWeight_ * divergence_BHQ1 + mseWeight_ * error_BHQ1) * counted_b1Q1;
        const at::Tensor mean_B = row_BHQ1.mean(1).sum({1, 2}) / counted_b1Q1.sum({1, 2, 3}).clamp_min(1);
        const at::Tensor loss = f.pass(path_, kEstimateLoss, mean_B.mean());
        if (!trains) return {};
        return f.partOfStep.defined() ? loss * f.partOfStep.to(loss.scalar_type()) : loss;
    }

    /// Queries that are not padding, even if the mask shows padding.
    static at::Tensor countedQueries(const KeyColumns& columns, const Inputs& in) {
        at::Tensor seen_b1Q1 = columns.real_b11K.transpose(-1, -2);
        if (!in.padding_BK.defined()) return seen_b1Q1;
        return seen_b1Q1.logical_and(in.padding_BK.logical_not().unsqueeze(1).unsqueeze(-1));
    }

    void showDensity(const at::Tensor& chosen_BHQK, const KeyColumns& columns, const at::Tensor& counted_b1Q1,
                     const Forward& f) const {
        if (!f.wants(path_, kDensity)) return;
        const at::Tensor all = columns.visible_b1qK.logical_and(counted_b1Q1).expand_as(chosen_BHQK).sum().clamp_min(1);
        f.pass(path_, kDensity, chosen_BHQK.logical_and(counted_b1Q1).sum().to(at::kDouble) / all);
    }

    std::string path_;
    SeaGroup group_;
    std::int64_t keys_, columns_, longest_;
    double klWeight_, mseWeight_;
    at::Tensor features_ME_;
    Linear encode_;
    LayerNormMap encodeNorm_;
    Linear scales_, rows_;
    std::array<Linear, 3> near_;
    LayerNormMap norm_;
};

}  // namespace

std::unique_ptr<Block> makeSeaSelector(const BuildContext& context) {
    return std::make_unique<SeaSelector>(context, seaOptions().read(context.params));
}

#endif

}  // namespace heddle
