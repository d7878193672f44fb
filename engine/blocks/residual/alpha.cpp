// SPDX-License-Identifier: Apache-2.0
// Weighted residual connection (ReZero, Bachlechner et al. 2020, with α = 0 at the start; StarSaber eq. 5 with α = 1):
//   y = r + α ⊙ s    r, s, y [B,S,D]; α a learned scalar or vector [D], or α = σ(w·r + b), one number per position [B,S,1],
// or a number that is not learned (½ in both feed-forward sublayers of a macaron layer, Lu et al. 2019).
// With shape vector and a small α at the start it is LayerScale (Touvron et al. 2021). of = stream: y = α ⊙ r + s.
// scope = layer: the sublayers of a layer share one α, declared and counted in the first (variants.md table 2.6 S14).
#include "engine/blocks/block_file.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/fusing.h"
#endif

namespace heddle {

enum class AlphaShape { Scalar, Vector };
template <>
struct ChoiceWords<AlphaShape> {
    static constexpr ChoiceWord<AlphaShape> kAll[] = {{"scalar", AlphaShape::Scalar}, {"vector", AlphaShape::Vector}};
};

enum class AlphaScope { Sublayer, Layer };
template <>
struct ChoiceWords<AlphaScope> {
    static constexpr ChoiceWord<AlphaScope> kAll[] = {{"sublayer", AlphaScope::Sublayer}, {"layer", AlphaScope::Layer}};
};

enum class AlphaOf { Output, Stream };
template <>
struct ChoiceWords<AlphaOf> {
    static constexpr ChoiceWord<AlphaOf> kAll[] = {{"output", AlphaOf::Output}, {"stream", AlphaOf::Stream}};
};

enum class AlphaForm { Constant, Function, Fixed };
template <>
struct ChoiceWords<AlphaForm> {
    static constexpr ChoiceWord<AlphaForm> kAll[] = {
        {"constant", AlphaForm::Constant}, {"function", AlphaForm::Function}, {"fixed", AlphaForm::Fixed}};
};

namespace {

constexpr const char* kAlpha = "alpha";
constexpr const char* kAlphaOfStream = "alpha_of_stream";

struct AlphaOptions {
    double init = 1;
    AlphaShape shape{};
    AlphaScope scope{};
    AlphaForm form{};
    AlphaOf of{};
};

const OptionFields<AlphaOptions>& alphaOptions() {
    static const auto kFields =
        OptionFields<AlphaOptions>()
            .add(&AlphaOptions::init,
                 fields::number("init", 1, {-100, 100}, "Initial α: 0 as in ReZero, 1 for a plain residual connection."))
            .add(&AlphaOptions::shape,
                 fields::choice<AlphaShape>("shape", "One α for the sublayer (scalar), or one per component (vector)."))
            .add(&AlphaOptions::scope,
                 fields::choice<AlphaScope>("scope",
                                            "Whether every sublayer has its own α, or all sublayers of a layer share one."))
            .add(&AlphaOptions::form, fields::choice<AlphaForm>("form",
                                                                "Whether α is a learned constant, a learned function of the "
                                                                "residual stream, σ(w·r + b), or the number init "
                                                                "for good (fixed)."))
            .add(&AlphaOptions::of,
                 fields::choice<AlphaOf>("of", "Whether α weighs the sublayer's output, or the residual stream."));
    return kFields;
}

bool isFunction(const AlphaOptions& o) { return o.form == AlphaForm::Function; }
bool isFixed(const AlphaOptions& o) { return o.form == AlphaForm::Fixed; }

/// Whether an earlier sublayer of the layer declares the parameters.
bool isElsewhere(const BlockContext& where, const AlphaOptions& o) {
    return o.scope == AlphaScope::Layer && !where.twin.empty();
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeAlphaResidual() {
    using Quantity = Exposure::Quantity;
    BlockDescriptor b;
    b.title = "Weighted residual (ReZero)";
    b.summary = "ReZero (Bachlechner et al. 2020): adds the sublayer's output times a learned weight α.";
    b.formulaOf = alphaOptions().reading([](const AlphaOptions& o) -> std::string {
        if (isFunction(o)) return o.of == AlphaOf::Stream ? "y = σ(w · r + b) r + s" : "y = r + σ(w · r + b) s";
        const std::string alpha = o.shape == AlphaShape::Vector ? "α ⊙ " : "α ";
        return o.of == AlphaOf::Stream ? "y = " + alpha + "r + s" : "y = r + " + alpha + "s";
    });
    b.shapes = "r, s, y [B,S,D]; α one number, [D], or [B,S,1]";
    b.reference =
        "StarSaber paper (Xu, Hu and Tang 2020, openreview JNP-CqSjkDb), eq. 5; ReZero, Bachlechner et al. 2020 (arXiv "
        "2003.04887), eq. 3; LayerScale, Touvron et al. 2021 (arXiv 2103.17239); Macaron Net, Lu et al. 2019 (arXiv "
        "1906.02762)";
    b.neutral = {{"alpha", 1}};
    b.parameters = alphaOptions().schema();
    b.parameterCount = alphaOptions().on([](const BlockContext& where, const AlphaOptions& o) -> std::int64_t {
        if (isFixed(o) || isElsewhere(where, o)) return 0;
        if (isFunction(o)) return where.dims.d + 1;
        return o.shape == AlphaShape::Vector ? where.dims.d : 1;
    });
    b.flopsPerToken = alphaOptions().on([](const BlockContext& where, const AlphaOptions& o) {
        return isFunction(o) ? 2.0 * static_cast<double>(where.dims.d) : 0.0;
    });
    b.check = alphaOptions().on([](const BlockContext&, const AlphaOptions& o) -> std::optional<Problem> {
        if (isFixed(o) && o.scope == AlphaScope::Layer)
            return Problem{"scope", "an α that is not learned is not shared", "use sublayer, or form constant"};
        if (o.form == AlphaForm::Constant || o.shape == AlphaShape::Scalar) return std::nullopt;
        return Problem{"shape",
                       isFixed(o) ? "an α that is not learned is one number"
                                  : "α as a function of the residual stream is a scalar per position",
                       "use scalar, or form constant"};
    });
    b.exposures = {{kAlpha, "residual weight α", Quantity::Scalar, "D", -2, 2, true, false, true},
                   {kAlphaOfStream, "residual weight α of the stream", Quantity::UnitGate, "BSD", 0, 1, true, false, true}};
    return b;
}

#else

namespace {

class AlphaResidual final : public Residual, public WeighingResidual {
public:
    AlphaResidual(const BuildContext& c, const AlphaOptions& o) : path_(c.scope.path()), of_(o.of), fixed_(o.init) {
        if (isFixed(o)) return;
        const std::int64_t d = c.where.dims.d;
        const bool isShared = isElsewhere(c.where, o);
        if (isFunction(o)) {
            gate_ = isShared ? Linear{c.scope.find(c.where.twin + ".gate.weight"), c.scope.find(c.where.twin + ".gate.bias")}
                             : declareLinear(c.scope / "gate", d, 1);
        } else {
            const Initial start{Initial::Kind::Constant, o.init};
            alpha_D_ = isShared ? c.scope.find(c.where.twin + ".alpha")
                                : c.scope.declare("alpha", {o.shape == AlphaShape::Vector ? d : 1}, start);
        }
    }

    at::Tensor join(const at::Tensor& r_BSD, const at::Tensor&, const at::Tensor& s_BSD, const Forward& f) const override {
        if (!alpha_D_.defined() && !gate_.weight.defined()) return joinFixed(r_BSD, s_BSD, f);
        const at::Tensor alpha =
            alpha_D_.defined() ? f.pass(path_, kAlpha, alpha_D_) : f.pass(path_, kAlphaOfStream, at::sigmoid(gate_(r_BSD)));
        return of_ == AlphaOf::Stream ? at::addcmul(s_BSD, alpha, r_BSD) : at::addcmul(r_BSD, alpha, s_BSD);
    }

    bool weighs(const Forward& f) const override {
        const bool isFixed = !alpha_D_.defined() && !gate_.weight.defined();
        return of_ == AlphaOf::Output && !gate_.weight.defined() && !f.replaces(path_, kAlpha) &&
               !(isFixed && f.wants(path_, kAlpha));
    }
    Weight weight(const Forward& f) const override {
        return {alpha_D_.defined() ? f.pass(path_, kAlpha, alpha_D_) : alpha_D_, fixed_};
    }

private:
    at::Tensor joinFixed(const at::Tensor& r_BSD, const at::Tensor& s_BSD, const Forward& f) const {
        const bool isOfStream = of_ == AlphaOf::Stream;
        const at::Tensor &weighed_BSD = isOfStream ? r_BSD : s_BSD, &other_BSD = isOfStream ? s_BSD : r_BSD;
        at::Tensor alpha;
        if (f.wants(path_, kAlpha) || f.replaces(path_, kAlpha))
            alpha = f.pass(path_, kAlpha, at::full({1}, fixed_, weighed_BSD.options()));
        return f.replaces(path_, kAlpha) ? at::addcmul(other_BSD, alpha, weighed_BSD) : at::add(other_BSD, weighed_BSD, fixed_);
    }

    std::string path_;
    AlphaOf of_;
    double fixed_;
    at::Tensor alpha_D_;  // [1] or [D]; undefined if α is a function or not learned
    Linear gate_;
};

}  // namespace

std::unique_ptr<Block> makeAlphaResidual(const BuildContext& context) {
    return std::make_unique<AlphaResidual>(context, alphaOptions().read(context.params));
}

#endif

}  // namespace heddle
