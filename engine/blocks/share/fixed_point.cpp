// SPDX-License-Identifier: Apache-2.0
// One layer, iterated to its fixed point (StarSaber paper, eq. 3; Bai et al. 2019; variants.md 2.2):
//   h ← F(h; x) until max|Δh| < tol or max_iter evaluations; h, x [B,S,D]
// Backward pass through the last m evaluations (unroll; m null: all), by the implicit function theorem (implicit: solves u = g
// + Jᵀu by the same iteration), or through m further evaluations from the point found (phantom, Geng et al. 2021). The forward
// values are bit-equal in all three. All evaluations use the same dropout mask. If the iteration does not converge, on_failure
// = error throws, and report continues with the last value and exposes `converged`.
#include "engine/blocks/share/layer_changes.h"

#include <algorithm>
#ifdef HEDDLE_MODULES
#include "engine/base/error.h"
#include "engine/blocks/share/jacobian.h"

#include <deque>
#include <limits>
#endif

namespace heddle {

enum class FixedPointGradient { Unroll, Implicit, Phantom };
template <>
struct ChoiceWords<FixedPointGradient> {
    static constexpr ChoiceWord<FixedPointGradient> kAll[] = {{"unroll", FixedPointGradient::Unroll},
                                                              {"implicit", FixedPointGradient::Implicit},
                                                              {"phantom", FixedPointGradient::Phantom}};
};

enum class OnNoConvergence { Error, Report };
template <>
struct ChoiceWords<OnNoConvergence> {
    static constexpr ChoiceWord<OnNoConvergence> kAll[] = {{"error", OnNoConvergence::Error},
                                                           {"report", OnNoConvergence::Report}};
};

namespace {

constexpr const char* kIterations = "iterations";
constexpr const char* kResidual = "residual";
constexpr const char* kConverged = "converged";
constexpr const char* kJacobianNorm = "jacobian_norm";
constexpr std::int64_t kMostIterations = 10000;

struct FixedPointOptions {
    std::optional<double> tol;
    std::int64_t maxIter = 0;
    FixedPointGradient grad{};
    std::optional<std::int64_t> m;
    OnNoConvergence onFailure{};
};

const OptionFields<FixedPointOptions>& fixedPointOptions() {
    static const auto kFields =
        OptionFields<FixedPointOptions>()
            .add(&FixedPointOptions::tol,
                 fields::derivable(fields::number("tol", nullptr, {1e-15, 1},
                                                  "Tolerance: iteration stops when no component changes by more; null: 1e-12 "
                                                  "in float64, 1e-6 in float32, 1e-2 in 16-bit types.")))
            .add(&FixedPointOptions::maxIter,
                 fields::integer("max_iter", 50, {1, kMostIterations},
                                 "Maximum number of iterations, in the forward and in the backward pass."))
            .add(&FixedPointOptions::grad,
                 fields::choice<FixedPointGradient>(
                     "grad",
                     "Backward pass: through the last m iterations (unroll), by the implicit function theorem "
                     "(implicit), or through m further iterations at the fixed point (phantom)."))
            .add(&FixedPointOptions::m,
                 fields::derivable(
                     fields::integer("m", nullptr, {1, kMostIterations},
                                     "Number of iterations in the backward pass; null: all with unroll, 1 with phantom.")))
            .add(&FixedPointOptions::onFailure,
                 fields::choice<OnNoConvergence>("on_failure",
                                                 "What happens if the iteration does not converge: an error, or "
                                                 "a report while the pass continues with the last value."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeFixedPointShare() {
    using Quantity = Exposure::Quantity;
    BlockDescriptor b = blockWithoutCost();
    b.title = "Fixed point of one layer";
    b.summary =
        "Fixed point of one layer (deep equilibrium model, Bai et al. 2019): applies one layer repeatedly until its output no "
        "longer changes.";
    b.formula = "h* = F(h*; x)";
    b.shapes = "h, x [B,S,D]";
    b.reference =
        "StarSaber paper (Xu, Hu and Tang 2020, openreview JNP-CqSjkDb), eq. 3 and theorem 3.1; Bai et al. 2019 (arXiv "
        "1909.01377)";
    b.parameters = fixedPointOptions().schema();
    b.check = fixedPointOptions().on([](const BlockContext& where, const FixedPointOptions& o) -> std::optional<Problem> {
        const bool encodes = where.stack != StackName::Decoder;
        const std::int64_t layers = encodes ? where.dims.layersEnc : where.dims.layersDec;
        if (layers != 1)
            return Problem{"", "a fixed point needs exactly one layer, but there are " + std::to_string(layers),
                           encodes ? "set dims.layers_enc to 1, or use shared" : "set dims.layers_dec to 1, or use shared"};
        if (o.grad == FixedPointGradient::Implicit && o.m)
            return Problem{"m", "the implicit gradient has no unrolled iterations", "remove m, or use unroll or phantom"};
        return std::nullopt;
    });
    b.exposures = {layerChangesExposure(),
                   {kIterations, "evaluations of the layer", Quantity::Scalar, "1", 0, 50, true, false, false},
                   {kResidual, "largest change max|Δh| of each evaluation", Quantity::Scalar, "L", 0, 1, true, false, false},
                   {kConverged, "1 where the stream stands still", Quantity::Scalar, "1", 0, 1, false, false, false},
                   {kJacobianNorm, "estimate of ‖J‖ at the fixed point", Quantity::Scalar, "1", 0, 2, false, false, false}};
    b.exposures.front().histogram = true;
    b.sharesWeights = true;
    // 2 for every evaluation that the gradient goes through (a matrix product has two factors), 1 for one of vᵀJ alone.
    b.iterates = fixedPointOptions().reading([](const FixedPointOptions& o) -> LayerPasses {
        if (o.grad == FixedPointGradient::Implicit) return {o.maxIter, 2 + o.maxIter};
        const std::int64_t through = o.m ? std::min(o.maxIter, *o.m) : o.grad == FixedPointGradient::Phantom ? 1 : o.maxIter;
        return {o.maxIter, 2 * through};
    });
    return b;
}

#else

namespace {

/// max|x|. The meta device has no values: there a number that no tolerance accepts, so that an iteration runs to its bound.
double largestOf(const at::Tensor& x) {
    const at::Tensor sizes = x.abs();
    return x.is_meta() ? std::numeric_limits<double>::max() : sizes.max().item<double>();
}

class FixedPointShare final : public Share {
public:
    FixedPointShare(const BuildContext& c, const FixedPointOptions& o)
        : path_(c.scope.path()),
          grad_(o.grad),
          maxIterations_(static_cast<std::size_t>(o.maxIter)),
          throws_(o.onFailure == OnNoConvergence::Error),
          tolerance_(o.tol) {
        if (o.m) m_ = static_cast<std::size_t>(*o.m);
    }

    at::Tensor run(const at::Tensor& h_BSD, std::int64_t, const Step& step, const Forward& f) const override {
        const TensorMap layer = [&step](const at::Tensor& h) { return step(0, h); };
        const bool needsGrad = at::GradMode::is_enabled(), unrolls = grad_ == FixedPointGradient::Unroll;
        const bool unrollsAll = needsGrad && unrolls && !m_;
        const Search found = search(h_BSD, layer, unrollsAll, f);
        show(found, layer, f);
        if (!found.converged && throws_ && !h_BSD.is_meta()) fail(found);
        if (!needsGrad || unrollsAll) return found.h;
        return unrolls ? unrollLast(found, layer) : attach(found.h, layer);
    }

private:
    struct Search {
        at::Tensor h;                  ///< after the last evaluation
        std::deque<at::Tensor> reads;  ///< inputs of the last evaluations, at most m
        std::vector<double> residuals;
        bool converged = false;
    };

    double toleranceFor(const at::Tensor& h) const {
        const at::ScalarType type = h.scalar_type();
        return tolerance_.value_or(type == at::kDouble ? 1e-12 : type == at::kFloat ? 1e-6 : 1e-2);
    }

    Search search(const at::Tensor& start, const TensorMap& layer, bool keepsGraph, const Forward& f) const {
        const at::AutoGradMode gradMode(keepsGraph);
        LayerChanges changes(path_, f);
        Search s;
        s.h = start;
        while (s.residuals.size() < maxIterations_ && !s.converged) {
            const at::Tensor next = layer(s.h);
            changes.note(s.h, next);
            s.residuals.push_back(largestOf((next - s.h).detach()));
            s.reads.push_back(s.h);
            if (s.reads.size() > m_.value_or(0)) s.reads.pop_front();
            s.h = next;
            s.converged = s.residuals.back() < toleranceFor(s.h);
            if (!std::isfinite(s.residuals.back())) break;
        }
        changes.show();
        return s;
    }

    void show(const Search& found, const TensorMap& layer, const Forward& f) const {
        const at::NoGradGuard forTheTapsAlone;
        const auto pass = [&](const char* exposure, const std::vector<double>& numbers) {
            if (f.wants(path_, exposure)) f.pass(path_, exposure, at::tensor(numbers, at::TensorOptions(at::kDouble)));
        };
        pass(kIterations, {static_cast<double>(found.residuals.size())});
        pass(kResidual, found.residuals);
        pass(kConverged, {found.converged ? 1.0 : 0.0});
        if (!f.wants(path_, kJacobianNorm)) return;
        constexpr int kRounds = 10;
        pass(kJacobianNorm, {jacobianNorm(layer, found.h, kRounds)});
        layer(found.h);  // evaluate once more, so that the layer's taps end with the fixed point and not with the estimate
    }

    [[noreturn]] void fail(const Search& found) const {
        const double residual = found.residuals.back();
        const bool diverged = !std::isfinite(residual);
        throw Error(ErrorCode::Diverged,
                    (diverged ? "the iteration diverged: the hidden state is not finite after "
                              : "no convergence: the hidden state still changes by " + c10::str(residual) + " after ") +
                        c10::str(found.residuals.size(), " iterations (tolerance ", toleranceFor(found.h), ")"),
                    path_, "raise max_iter or tol, constrain the matrices (constraint spectral), or set on_failure to report");
    }

    /// Repeats the last m evaluations with the autograd graph; the values are the same.
    at::Tensor unrollLast(const Search& found, const TensorMap& layer) const {
        at::Tensor h = found.reads.front();
        for (std::size_t i = 0; i < found.reads.size(); ++i) h = layer(h);
        return h;
    }

    /// The point found, with the gradient of evaluations at it.
    at::Tensor attach(const at::Tensor& point, const TensorMap& layer) const {
        const VectorJacobian first(layer, point);
        at::Tensor y = first.value();
        for (std::size_t i = 1; grad_ == FixedPointGradient::Phantom && i < m_.value_or(1); ++i) y = layer(y);
        at::Tensor h = point + (y - y.detach());
        if (grad_ == FixedPointGradient::Implicit)
            h.register_hook([this, first](const at::Tensor& g) { return solveBackward(first, g); });
        return h;
    }

    /// Solves u = g + Jᵀu: the gradient at the fixed point for the output gradient g.
    at::Tensor solveBackward(const VectorJacobian& jacobian, const at::Tensor& g) const {
        at::Tensor u = g;
        double residual = 0;
        for (std::size_t i = 0; i < maxIterations_; ++i) {
            const at::Tensor next = g + jacobian.times(u);
            residual = largestOf(next - u);
            const double size = largestOf(next);
            u = next;
            if (residual <= toleranceFor(u) * size) return u;
            if (!std::isfinite(residual)) break;
        }
        if (!throws_ || u.is_meta()) return u;
        throw Error(ErrorCode::Diverged, "no convergence of the implicit gradient: it still changes by " + c10::str(residual),
                    path_,
                    "raise max_iter or tol, constrain the matrices (constraint spectral), or use grad unroll or phantom");
    }

    std::string path_;
    FixedPointGradient grad_;
    std::size_t maxIterations_;
    bool throws_;
    std::optional<double> tolerance_;
    std::optional<std::size_t> m_;
};

}  // namespace

std::unique_ptr<Block> makeFixedPointShare(const BuildContext& context) {
    return std::make_unique<FixedPointShare>(context, fixedPointOptions().read(context.params));
}

#endif

}  // namespace heddle
