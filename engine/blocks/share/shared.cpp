// SPDX-License-Identifier: Apache-2.0
// One layer, applied L times: h^{l+1} = F(h^l); h [B,S,D]. Its weights are counted once; all passes use the same dropout mask.
#include "engine/blocks/share/layer_changes.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/incremental.h"
#endif

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeSharedShare() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "Shared layer";
    b.summary =
        "Cross-layer weight sharing (Universal Transformer, Dehghani et al. 2019): applies one layer as often as the stack has "
        "layers.";
    b.formula = "h^{l+1} = F(h^l)";
    b.shapes = "h [B,S,D]";
    b.reference =
        "StarSaber paper (Xu, Hu and Tang 2020, openreview JNP-CqSjkDb), eq. 3; Dehghani et al. 2019 (arXiv 1807.03819)";
    b.exposures = {layerChangesExposure()};
    b.exposures.front().histogram = true;
    b.sharesWeights = true;
    return b;
}

#else

namespace {

class SharedShare final : public Share, public IncrementalShare {
public:
    explicit SharedShare(const BuildContext& c) : path_(c.scope.path()) {}
    at::Tensor run(const at::Tensor& h_BSD, std::int64_t layers, const Step& step, const Forward& f) const override {
        LayerChanges changes(path_, f);
        const Step sameLayer = [&](std::int64_t, const at::Tensor& h) { return step(0, h); };
        return runLayers(h_BSD, layers, sameLayer, changes);
    }

private:
    std::string path_;
};

}  // namespace

std::unique_ptr<Block> makeSharedShare(const BuildContext& context) { return std::make_unique<SharedShare>(context); }

#endif

}  // namespace heddle
