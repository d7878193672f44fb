// SPDX-License-Identifier: Apache-2.0
// Evaluator–Adjuster Unit (EAU/GRC paper, eq. 1–4; variants.md 1.1):
//   h = ReLU(W₁x + b₁)   W₁ [M,D], M = D/2      e = σ(W₂h + b₂)    W₂ [D,M]
//   a = tanh(W₃x + b₃)   W₃ [D,D]               y = x + a ⊙ e      |y − x| < 1 in every component
// x, e, a, y: [B,S,D]; h: [B,S,M]. Before the output projection D is the width of the merged heads.
#include "engine/blocks/block_file.h"
#ifdef HEDDLE_MODULES
#include "engine/kernels/fused.h"
#endif

namespace heddle {

namespace {

constexpr const char* kHidden = "hidden";
constexpr const char* kEvaluation = "evaluation";
constexpr const char* kAdjustment = "adjustment";
constexpr const char* kOfCorrection[] = {kEvaluation, kAdjustment, tap::kDelta};  ///< not produced by the fused path

struct EauOptions {
    AdjusterPlace where{};
    std::optional<std::int64_t> hidden;
};

const OptionFields<EauOptions>& eauOptions() {
    static const auto kFields =
        OptionFields<EauOptions>()
            .add(&EauOptions::where,
                 fields::choice<AdjusterPlace>(
                     "where",
                     "What is adjusted: the sublayer's output (attn_out), the concatenated heads before the output "
                     "projection (before_wo), or the residual stream after residual and norm (before_ffn)."))
            .add(&EauOptions::hidden,
                 fields::derivable(fields::integer("hidden", nullptr, {1, 1 << 20},
                                                   "Width of the hidden layer h; null: half of the width that is adjusted.")));
    return kFields;
}

struct Widths {
    std::int64_t d, hidden;
};

Widths widthsOf(const BlockContext& where, const EauOptions& o) {
    const std::int64_t d =
        o.where == AdjusterPlace::BeforeOutputProjection ? where.dims.heads * where.dims.valueDim : where.dims.d;
    return {d, o.hidden.value_or(d / 2)};
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeEauAdjuster() {
    using Quantity = Exposure::Quantity;
    BlockDescriptor b;
    b.title = "Evaluator–Adjuster Unit";
    b.summary =
        "Evaluator–Adjuster Unit (Dhayalkar 2024): adds a bounded correction a to every vector, weighted per component by an "
        "evaluation e that the unit computes from the same vector.";
    b.formula = "y = x + tanh(W₃x + b₃) ⊙ σ(W₂ ReLU(W₁x + b₁) + b₂)";
    b.shapes = "x, e, a, y [B,S,D]; h [B,S,M], M = D/2; W₁ [M,D], W₂ [D,M], W₃ [D,D]";
    b.reference = "EAU/GRC paper (Dhayalkar 2024, arXiv 2405.13407), eq. 1–4";
    b.neutral = {{"w3.weight", 0}, {"w3.bias", 0}};  // a = 0
    b.parameters = eauOptions().schema();
    b.parameterCount = eauOptions().on([](const BlockContext& where, const EauOptions& o) {
        const auto [d, h] = widthsOf(where, o);
        return (d * h + h) + (h * d + d) + (d * d + d);
    });
    b.flopsPerToken = eauOptions().on([](const BlockContext& where, const EauOptions& o) {
        const auto [d, h] = widthsOf(where, o);
        return 2.0 * static_cast<double>(2 * d * h + d * d);
    });
    b.check = eauOptions().on([](const BlockContext& where, const EauOptions& o) -> std::optional<Problem> {
        if (o.where == AdjusterPlace::BeforeOutputProjection && where.sublayer && isFeedForward(*where.sublayer)) {
            return Problem{"where", "a feed-forward sublayer has no heads and no output projection",
                           "use attn_out or before_ffn, or put the unit on an attention sublayer"};
        }
        if (widthsOf(where, o).hidden < 1) {
            return Problem{"hidden", "a width of 1 cannot be halved", "give hidden, or a wider model"};
        }
        return std::nullopt;
    });
    b.placeOf = eauOptions().reading([](const EauOptions& o) { return o.where; });
    b.exposures = {{kHidden, "EAU hidden h", Quantity::Scalar, "BSM", 0, 4, false, false, false},
                   {kEvaluation, "EAU evaluation e", Quantity::UnitGate, "BSD", 0, 1, true, false, true},
                   {kAdjustment, "EAU adjustment a", Quantity::SignedGate, "BSD", -1, 1, true, false, true},
                   {tap::kDelta, "EAU correction a ⊙ e", Quantity::Delta, "BSD", -1, 1, true, false, true}};
    b.fits = eauOptions().on([](const Neighbours& beside, const EauOptions& o) -> std::optional<Problem> {
        if (o.where != AdjusterPlace::BeforeOutputProjection || beside.unprojected.empty()) return std::nullopt;
        return Problem{"where", "value \"" + beside.unprojected + "\" has no output projection",
                       "use attn_out or before_ffn, or value heads_proj"};
    });
    return b;
}

#else

namespace {

class EauAdjuster final : public Adjuster {
public:
    EauAdjuster(const BuildContext& c, const EauOptions& o) : path_(c.scope.path()), place_(o.where) {
        const auto [d, h] = widthsOf(c.where, o);
        w1_ = declareLinear(c.scope / "w1", d, h);
        w2_ = declareLinear(c.scope / "w2", h, d);
        w3_ = declareLinear(c.scope / "w3", d, d);
    }

    Place place() const override { return place_; }

    at::Tensor adjust(const at::Tensor& x_BSD, const at::Tensor&, const Forward& f) const override {
        const std::vector<BiasedProduct> ofX = products(x_BSD, w1_, w3_);
        const at::Tensor h_BSM = f.pass(path_, kHidden, rectified(ofX[0]));
        if (isOnePass(x_BSD, f)) return adjustInOnePass(x_BSD, w2_.product(h_BSM), ofX[1], f);
        const at::Tensor e_BSD = f.pass(path_, kEvaluation, at::sigmoid(w2_(h_BSM)));
        const at::Tensor a_BSD = f.pass(path_, kAdjustment, at::tanh(ofX[1]));
        return x_BSD + f.pass(path_, tap::kDelta, a_BSD * e_BSD);
    }

private:
    bool isOnePass(const at::Tensor& x_BSD, const Forward& f) const {
        const auto isReplaced = [&](const char* exposure) { return f.replaces(path_, exposure); };
        return f.path != Forward::Path::Reference && adjustsInOnePass(x_BSD) &&
               std::none_of(std::begin(kOfCorrection), std::end(kOfCorrection), isReplaced);
    }

    at::Tensor adjustInOnePass(const at::Tensor& x_BSD, const BiasedProduct& beforeE_BSD, const BiasedProduct& beforeA_BSD,
                               const Forward& f) const {
        const auto isWatched = [&](const char* exposure) { return f.wants(path_, exposure); };
        if (std::any_of(std::begin(kOfCorrection), std::end(kOfCorrection), isWatched)) {
            const at::NoGradGuard forTheTapsAlone;
            const at::Tensor e_BSD = f.pass(path_, kEvaluation, at::sigmoid(beforeE_BSD.y));
            const at::Tensor a_BSD = f.pass(path_, kAdjustment, at::tanh(beforeA_BSD.y));
            f.pass(path_, tap::kDelta, a_BSD * e_BSD);
        }
        return adjusted(x_BSD, beforeA_BSD, beforeE_BSD);
    }

    std::string path_;
    Place place_;
    Linear w1_, w2_, w3_;
};

}  // namespace

std::unique_ptr<Block> makeEauAdjuster(const BuildContext& context) {
    return std::make_unique<EauAdjuster>(context, eauOptions().read(context.params));
}

#endif

}  // namespace heddle
