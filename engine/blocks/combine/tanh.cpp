// SPDX-License-Identifier: Apache-2.0
// The update of the StarSaber paper, eq. 4 and 5: y = tanh(A + V x); A, V x, y [B,S,D]. Without a direct path tanh(A).
#include "engine/blocks/star_matrix.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/fusing.h"
#endif

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeTanhCombine() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "Tanh";
    b.summary =
        "Tanh update (StarSaber, Xu et al. 2020): applies tanh to the sum of the output of attention and the direct path.";
    b.formula = "y = tanh(A + V x)";
    b.shapes = "A, V x, y [B,S,D]";
    b.reference = "StarSaber paper (Xu, Hu and Tang 2020, openreview JNP-CqSjkDb), eq. 4–5";
    b.exposures = {{tap::kUpdate, "StarSaber update", Exposure::Quantity::Delta, "BSD", -1, 1, true, false, true}};
    return b;
}

#else

namespace {

class TanhCombine final : public Combine, public TanhCombining {
public:
    explicit TanhCombine(const BuildContext& c) : path_(c.scope.path()) {}
    at::Tensor combine(const Inputs& in, const Forward& f) const override {
        return f.pass(path_, tap::kUpdate, at::tanh(withDirect(in)));
    }

    std::optional<Argument> beforeTanh(const Inputs& in, const Forward& f) const override {
        if (f.replaces(path_, tap::kUpdate)) return std::nullopt;
        if (f.wants(path_, tap::kUpdate)) {
            const at::NoGradGuard forTheTapsAlone;
            f.pass(path_, tap::kUpdate, at::tanh(withDirect(in)));
        }
        return Argument{in.mixed, in.direct};
    }

private:
    std::string path_;
};

}  // namespace

std::unique_ptr<Block> makeTanhCombine(const BuildContext& context) { return std::make_unique<TanhCombine>(context); }

#endif

}  // namespace heddle
