// SPDX-License-Identifier: Apache-2.0
// Normalised queries and keys (Henry et al. 2020, who divide by the L2 norm; Dehghani et al. 2023, section 2; Yang et al.
// 2025):
//   s_h = N_q((W_q q)_h) · N_k((W_k k)_h) / √E,  N(z) = γ ⊙ z / √(mean(z²) + ε)
// over = head: the mean over the E components of a head; γ_q, γ_k [E], 1 at the start, the same for all heads.
// over = projection (OLMo 2, section 2.2): the mean over all heads together; γ_q [H·E], γ_k [G·E].
// form = l2: N(z) = γ ⊙ z / √(Σz² + ε), and the option `factor`, c, takes the place of 1/√E.
// groups = g: each of the g parts of a head, E/g components wide, is normalised by itself.
// gain = heads: every head has its own gain; γ_q [H·E], γ_k [G·E].
// Other shapes in engine/blocks/scorer/projected_scorer.h. With γ = 1 and over = head a score is √E times the cosine of the
// angle between query and key, so |s| ≤ √E. With form l2 it is c times that cosine, or c times the sum of the groups' cosines.
#include "engine/blocks/scorer/projected_scorer.h"

namespace heddle {

enum class NormedPart { Head, Projection };
template <>
struct ChoiceWords<NormedPart> {
    static constexpr ChoiceWord<NormedPart> kAll[] = {{"head", NormedPart::Head}, {"projection", NormedPart::Projection}};
};

enum class QkNormForm { Rms, L2 };
template <>
struct ChoiceWords<QkNormForm> {
    static constexpr ChoiceWord<QkNormForm> kAll[] = {{"rms", QkNormForm::Rms}, {"l2", QkNormForm::L2}};
};

enum class QkNormGain { Norm, Heads, None };
template <>
struct ChoiceWords<QkNormGain> {
    static constexpr ChoiceWord<QkNormGain> kAll[] = {
        {"norm", QkNormGain::Norm}, {"heads", QkNormGain::Heads}, {"none", QkNormGain::None}};
};

namespace {

struct QkNormOptions : BiasOptions {
    double eps = 0;
    NormedPart over{};
    QkNormForm form{};
    std::int64_t groups = 1;
    std::optional<double> factor;
    QkNormGain gain{};
};

constexpr double kL2Factor = 10;  // as in x-transformers

const OptionFields<QkNormOptions>& qkNormOptions() {
    static const auto kFields =
        OptionFields<QkNormOptions>()
            .add(&QkNormOptions::eps, fields::number("eps", 1e-6, {1e-15, 1},
                                                     "ε, added to the mean square of a query or key, with form l2 to the sum "
                                                     "of squares."))
            .add(projectedScorerOptions())
            .add(&QkNormOptions::over,
                 fields::choice<NormedPart>("over",
                                            "Whether every head is normalised by itself, as in Qwen3, or all heads of a "
                                            "projection together, as in OLMo 2."))
            .add(
                &QkNormOptions::form,
                fields::choice<QkNormForm>(
                    "form", "Division by the root mean square (rms), or by the L2 norm, which gives vectors of length 1 (l2)."))
            .add(&QkNormOptions::groups,
                 fields::integer("groups", 1, {1, 1024}, "Number of parts of a head that are normalised each by itself."))
            .add(&QkNormOptions::factor,
                 fields::derivable(
                     fields::number("factor", nullptr, {1e-6, 1e6},
                                    "c, the factor of the scores; null: 1/√d_k, with form l2 10. With dims.base_d it is "
                                    "the base model's.")))
            .add(&QkNormOptions::gain, fields::choice<QkNormGain>("gain",
                                                                  "The learned γ: one that the heads share, over projection "
                                                                  "one for all of them together (norm); one for each "
                                                                  "head (heads); or none."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

namespace {

/// N(z) with these options.
std::string qkNormFormula(const QkNormOptions& o) {
    const std::string z = o.groups > 1 ? "z_j" : "z", squares = o.form == QkNormForm::L2 ? "Σ" + z + "²" : "mean(" + z + "²)";
    const std::string gain = o.gain == QkNormGain::Norm ? "γ" : "γ_h";
    return (o.groups > 1 ? "N(z)_j = " : "N(z) = ") + (o.gain == QkNormGain::None ? "" : gain + " ⊙ ") + z + " / √(" + squares +
           " + ε)" + (o.groups > 1 ? ", z = [z_1; …; z_" + std::to_string(o.groups) + "]" : "");
}

std::optional<Problem> qkNormProblem(const BlockContext& where, const QkNormOptions& o) {
    const bool isOverAll = o.over == NormedPart::Projection;
    if (isOverAll && o.form == QkNormForm::L2)
        return Problem{"form", "the L2 norm of all heads together would shrink the scores with their number",
                       "use form rms, or over head"};
    if (isOverAll && o.groups > 1)
        return Problem{"groups", "groups are parts of a head, and over projection normalises all heads together",
                       "use over head, or one group"};
    if (where.dims.keyDim % o.groups == 0) return std::nullopt;
    return Problem{"groups",
                   std::to_string(o.groups) + " groups do not divide a key width of " + std::to_string(where.dims.keyDim),
                   "choose a number that divides dims.key_dim"};
}

}  // namespace

BlockDescriptor describeQkNormScorer() {
    BlockDescriptor b = describeProjectedScorer();
    b.title = "Dot product of normalised queries and keys";
    b.summary =
        "QK-norm (Henry et al. 2020; Dehghani et al. 2023): scaled dot-product scores of queries and keys that RMSNorm has "
        "brought to one length in each head, which bounds the scores.";
    b.formulaOf = qkNormOptions().reading([](const QkNormOptions& o) -> std::string {
        const auto normed = [&](const std::string& name) {
            const std::string z = "W_" + name + " " + name + (o.bias ? " + b_" + name : "");
            if (o.over == NormedPart::Projection) return "N_" + name + "(" + z + ")_h";
            return "N_" + name + "((" + z + ")_h)";
        };
        const bool isScaled = o.factor || o.form == QkNormForm::L2;
        return "s_h = " + partIf(isScaled, "c ") + normed("q") + " · " + normed("k") + (isScaled ? ", " : " / √d_k, ") +
               qkNormFormula(o);
    });
    b.shapes =
        "q [B,Q,D], k [B,K,D]; W_q [H·E,D], W_k [G·E,D], G = dims.kv_heads; γ_q, γ_k [E], with over projection or gain heads "
        "[H·E], [G·E]; s [B,H,Q,K]";
    b.reference =
        "Henry et al. 2020 (arXiv 2010.04245), section 3; Dehghani et al. 2023 (ViT-22B, arXiv 2302.05442), section 2; Yang et "
        "al. 2025 (Qwen3, arXiv 2505.09388), section 2; OLMo 2 (arXiv 2501.00656), section 2.2";
    b.reading =
        "Reading. Henry et al. divide by the L2 norm and learn one factor in place of 1/√d_k; Dehghani et al. use LayerNorm. "
        "With form l2 the factor is fixed, as in x-transformers, whose gains are those of each head or none. "
        "The default is the form of Qwen3: RMSNorm over each head with one gain for the queries and one for the keys, shared "
        "by the heads; with `over` projection it is that of OLMo 2. Positions of slot relative are applied after the norm, as "
        "in all three.";
    b.parameters = qkNormOptions().schema();
    b.parameterCount = qkNormOptions().on([](const BlockContext& where, const QkNormOptions& o) {
        const bool isOfHeads = o.over == NormedPart::Projection || o.gain == QkNormGain::Heads;
        const std::int64_t heads = isOfHeads ? where.dims.heads + where.dims.keyHeads() : 2;
        const std::int64_t gains = o.gain == QkNormGain::None ? 0 : heads * where.dims.keyDim;
        return projectedScorerCount(where, o.bias, where.dims.keyHeads()) + gains;
    });
    b.check = qkNormOptions().on(qkNormProblem);
    b.note = qkNormOptions().on([](const Neighbours&, const QkNormOptions& o) -> std::optional<Problem> {
        if (o.over == NormedPart::Head || o.gain != QkNormGain::Heads) return std::nullopt;
        return Problem{"gain", "over projection has a gain of each head anyway, so that heads says the same as norm", ""};
    });
    b.isPerHead = b.takesRelative = true;
    return b;
}

#else

namespace {

/// The factor of the products of normalised queries and keys. With a base model those of length √E are divided by the width of
/// a head (Yang et al. 2022, definition 4.1); products of unit vectors do not grow with it.
double qkNormScale(const Dims& dims, const QkNormOptions& o) {
    if (o.form == QkNormForm::L2) return o.factor.value_or(kL2Factor);
    return o.factor ? *o.factor / dims.keyRatio() : scoreScale(dims);
}

class QkNormScorer final : public ProjectedScorer {
public:
    QkNormScorer(const BuildContext& c, const QkNormOptions& o)
        : ProjectedScorer(c, o, qkNormScale(c.where.dims, o)), options_(o) {
        if (o.gain == QkNormGain::None) return;
        gainQ_ = declareGain(c, "q_gain", c.where.dims.heads);
        gainK_ = declareGain(c, "k_gain", c.where.dims.keyHeads());
    }

private:
    bool isOverAll() const { return options_.over == NormedPart::Projection; }
    bool hasGainsOfHeads() const { return isOverAll() || options_.gain == QkNormGain::Heads; }

    /// [E], or those of all heads [H·E].
    at::Tensor declareGain(const BuildContext& c, const char* name, std::int64_t heads) const {
        return c.scope.declare(name, {(hasGainsOfHeads() ? heads : 1) * c.where.dims.keyDim}, {Initial::Kind::Ones});
    }
    at::Tensor normedQueries(const at::Tensor& q_BHQE) const override { return normed(q_BHQE, gainQ_); }
    at::Tensor normedKeys(const at::Tensor& k_BGKE) const override { return normed(k_BGKE, gainK_); }

    at::Tensor normed(const at::Tensor& x_BHSE, const at::Tensor& gain) const {
        // In float32 where the projections are bfloat16, whose squares would lose half of their digits.
        const at::Tensor x = x_BHSE.scalar_type() == at::kBFloat16 ? x_BHSE.to(at::kFloat) : x_BHSE;
        at::Tensor scaled_BHSE = options_.groups == 1 ? scaled(x) : scaled(x.unflatten(-1, {options_.groups, -1})).flatten(-2);
        if (!gain.defined()) return scaled_BHSE;
        return (hasGainsOfHeads() ? gain.view({x_BHSE.size(1), 1, x_BHSE.size(3)}) : gain) * scaled_BHSE;
    }
    at::Tensor scaled(const at::Tensor& x) const {
        const at::Tensor square = x.square();
        if (options_.form == QkNormForm::L2) return x * (square.sum(-1, true) + options_.eps).rsqrt();
        return x * ((isOverAll() ? square.mean({1, 3}, true) : square.mean(-1, true)) + options_.eps).rsqrt();
    }

    QkNormOptions options_;
    at::Tensor gainQ_, gainK_;  ///< undefined: none
};

}  // namespace

std::unique_ptr<Block> makeQkNormScorer(const BuildContext& context) {
    return std::make_unique<QkNormScorer>(context, qkNormOptions().read(context.params));
}

#endif

}  // namespace heddle
