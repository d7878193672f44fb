// SPDX-License-Identifier: Apache-2.0
// Directional values of the StarSaber paper, eq. 2–4 (variants.md 2.1): one matrix for the keys before the query, another for
// the rest; only this provides the order of positions.
//   A_n = Σ_{i<n} G_ni (U x_i + b_U) + Σ_{i≥n} G_ni (Q x_i + b_Q)    G [B,H,Q,K] attention weights; x [B,K,D]; A [B,Q,D]
// U, Q [D,D]; under several heads their rows are split among the heads, D = H·E. `split` assigns i = n to a side (table 2.6
// S4). Queries are the last positions of the keys.
#include "engine/blocks/star_matrix.h"
#include "engine/blocks/value/unprojected_value.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/connections.h"
#include "engine/blocks/fusing.h"
#include "engine/kernels/head_products.h"
#endif

namespace heddle {

/// Which matrix projects the value at the query's own position.
enum class SelfSide { Right, Left, Both };
template <>
struct ChoiceWords<SelfSide> {
    static constexpr ChoiceWord<SelfSide> kAll[] = {
        {"self_right", SelfSide::Right}, {"self_left", SelfSide::Left}, {"self_both", SelfSide::Both}};
};

namespace {

constexpr const char* kLeft = "left_weight";
constexpr const char* kRight = "right_weight";
constexpr const char* kMixed = "mixed";

struct DirectionalValueOptions : StarMatrixOptions {
    SelfSide split{};
};

const OptionFields<DirectionalValueOptions>& directionalValueOptions() {
    static const auto kFields =
        OptionFields<DirectionalValueOptions>()
            .add(starMatrixOptions())
            .add(&DirectionalValueOptions::split,
                 fields::choice<SelfSide>("split",
                                          "Matrix that projects the value at the query's own position: Q "
                                          "(self_right), U (self_left), or the sum of both (self_both)."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeDirectionalValue() {
    using Quantity = Exposure::Quantity;
    BlockDescriptor b = describeStarMatrices(2);
    b.title = "Directional values";
    b.summary =
        "Directional values (StarSaber, Xu et al. 2020): values before a query are projected with one matrix and values from "
        "the query on with another, which encodes the order.";
    b.formulaOf = directionalValueOptions().reading([](const DirectionalValueOptions& o) -> std::string {
        const std::string before = o.split == SelfSide::Right ? "i<n" : "i≤n",
                          after = o.split == SelfSide::Left ? "i>n" : "i≥n";
        const std::string u = o.bias ? "(U x_i + b_U)" : "U x_i", q = o.bias ? "(Q x_i + b_Q)" : "Q x_i";
        return "A_n = Σ_{" + before + "} G_ni " + u + " + Σ_{" + after + "} G_ni " + q;
    });
    b.shapes = "G [B,H,Q,K]; x [B,K,D]; U, Q [D,D]; A [B,Q,D]";
    b.reference = "StarSaber paper (Xu, Hu and Tang 2020, openreview JNP-CqSjkDb), eq. 2–4";
    b.parameters = directionalValueOptions().schema();
    b.flopsPerToken = [](const BlockContext& where, const Json&) {
        return starMatrixFlops(2, where) + 2.0 * static_cast<double>(2 * where.dims.d * where.sequenceLength());
    };
    b.check = [](const BlockContext& where, const Json&) -> std::optional<Problem> {
        if (where.sublayer == SublayerName::Cross)
            return Problem{"", "cross-attention has no order between queries and keys", "use heads_proj or single"};
        return headsFillTheWidth(where);
    };
    b.exposures = {{kLeft, "attention weight through U", Quantity::Weight, "BHQK", 0, 1, false, true, true},
                   {kRight, "attention weight through Q", Quantity::Weight, "BHQK", 0, 1, false, true, true},
                   {kMixed, "mixed values A", Quantity::Scalar, "BSD", -4, 4, false, false, true}};
    b.tellsOrder = true;
    // If all visible keys are on one side of the query, the matrix of the other side is never used.
    b.fits =
        directionalValueOptions().on([](const Neighbours& beside, const DirectionalValueOptions& o) -> std::optional<Problem> {
            if (beside.sees == VisibleKeys::BeforeQuery)
                return Problem{"", beside.seesBy + " attends to the previous position only, so matrix Q would have no effect",
                               "use value single"};
            if (beside.sees == VisibleKeys::All || o.split != SelfSide::Left) return std::nullopt;
            return Problem{"split", beside.seesBy + " hides the keys after the query, so matrix Q would have no effect",
                           "use self_right or self_both, or value single"};
        });
    return b;
}

#else

namespace {

class DirectionalValue final : public Value, public IncrementalValue, public DirectionalValues {
public:
    DirectionalValue(const BuildContext& c, const DirectionalValueOptions& o)
        : path_(c.scope.path()),
          heads_(c.where.dims.heads),
          u_(c.scope / "u", c, o),
          q_(c.scope / "q", c, o),
          selfLeft_(o.split != SelfSide::Right),
          selfRight_(o.split != SelfSide::Left) {}

    BiasedProduct aggregate(const at::Tensor& weights_BHQK, const LinearInput& x, const InnerAdjuster*,
                            const Forward& f) const override {
        return mixed(split(weights_BHQK), splitHeads(u_(x), heads_), splitHeads(q_(x), heads_), f);
    }

    std::vector<const Linear*> maps() const override {
        std::vector<const Linear*> both = u_.maps();
        for (const Linear* map : q_.maps()) both.push_back(map);
        return both;
    }

    std::optional<Sides> sides(const LinearInput& x, const Forward& f) const override {
        for (const char* exposure : {kLeft, kRight, kMixed, kHeadOutput})
            if (f.wants(path_, exposure) || f.replaces(path_, exposure)) return std::nullopt;
        if (heads_ > 1) return std::nullopt;
        return Sides{u_(x), q_(x), lastLeft(), firstRight()};
    }

    /// Both values, concatenated.
    at::Tensor keep(const at::Tensor& x_BKD) const override {
        return at::cat({splitHeads(u_(x_BKD), heads_), splitHeads(q_(x_BKD), heads_)}, -1);
    }

    at::Tensor mixCached(const at::Tensor& weights_BHQK, const Cached& cached, const InnerAdjuster*,
                         const Forward& f) const override {
        const at::Tensor& cached_BHKE = cached.values_BGKE;
        const std::int64_t width = cached_BHKE.size(3) / 2;
        const SplitWeights split_BHQK =
            cached.queryOnDevice_1.defined() ? splitAt(weights_BHQK, cached.queryOnDevice_1) : split(weights_BHQK);
        return mixed(split_BHQK, cached_BHKE.narrow(3, 0, width), cached_BHKE.narrow(3, width, width), f);
    }

private:
    struct SplitWeights {
        at::Tensor left, right;  ///< [B,H,Q,K]
    };

    // The last key on the left of a query, and the first one on the right, beside the query's own position.
    std::int64_t lastLeft() const { return selfLeft_ ? 0 : -1; }
    std::int64_t firstRight() const { return selfRight_ ? 0 : 1; }

    SplitWeights split(const at::Tensor& weights_BHQK) const {
        const std::int64_t first = weights_BHQK.size(3) - weights_BHQK.size(2);  // position of the first query
        return {weights_BHQK.tril(first + lastLeft()), weights_BHQK.triu(first + firstRight())};
    }

    SplitWeights splitAt(const at::Tensor& weights_BH1K, const at::Tensor& query_1) const {
        const at::Tensor key_K = at::arange(weights_BH1K.size(3), query_1.options());
        return {weights_BH1K.masked_fill(key_K > query_1 + lastLeft(), 0),
                weights_BH1K.masked_fill(key_K < query_1 + firstRight(), 0)};
    }

    at::Tensor mixed(const SplitWeights& sides, const at::Tensor& u_BHKE, const at::Tensor& q_BHKE, const Forward& f) const {
        const at::Tensor left_BHQK = f.pass(path_, kLeft, sides.left), right_BHQK = f.pass(path_, kRight, sides.right);
        const at::Tensor heads_BHQE = headMix(left_BHQK, u_BHKE) + headMix(right_BHQK, q_BHKE);
        return f.pass(path_, kMixed, joinHeads(f.pass(path_, kHeadOutput, heads_BHQE)));
    }

    std::string path_;
    std::int64_t heads_;
    StarMatrix u_, q_;
    bool selfLeft_, selfRight_;
};

}  // namespace

std::unique_ptr<Block> makeDirectionalValue(const BuildContext& context) {
    return std::make_unique<DirectionalValue>(context, directionalValueOptions().read(context.params));
}

#endif

}  // namespace heddle
