// SPDX-License-Identifier: Apache-2.0
// Every layer has its own weights: h^{l+1} = F_l(h^l), l = 0 … L−1; h [B,S,D].
#include "engine/blocks/share/layer_changes.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/incremental.h"
#endif

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeDistinctShare() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "Distinct layers";
    b.summary = "No weight sharing: every layer has its own weights.";
    b.formula = "h^{l+1} = F_l(h^l)";
    b.shapes = "h [B,S,D]";
    b.reference =
        "Vaswani et al. 2017 (arXiv 1706.03762); StarSaber paper (Xu, Hu and Tang 2020, openreview JNP-CqSjkDb), eq. 4";
    b.exposures = {layerChangesExposure()};
    return b;
}

#else

namespace {

class DistinctShare final : public Share, public IncrementalShare {
public:
    explicit DistinctShare(const BuildContext& c) : path_(c.scope.path()) {}
    at::Tensor run(const at::Tensor& h_BSD, std::int64_t layers, const Step& step, const Forward& f) const override {
        LayerChanges changes(path_, f);
        return runLayers(h_BSD, layers, step, changes);
    }

private:
    std::string path_;
};

}  // namespace

std::unique_ptr<Block> makeDistinctShare(const BuildContext& context) { return std::make_unique<DistinctShare>(context); }

#endif

}  // namespace heddle
