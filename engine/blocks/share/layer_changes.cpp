// SPDX-License-Identifier: Apache-2.0
#include "engine/blocks/share/layer_changes.h"

namespace heddle {

namespace {

constexpr const char* kChange = "change";

}  // namespace

#ifndef HEDDLE_MODULES

Exposure layerChangesExposure() {
    return {kChange, "change of the stream ‖h′ − h‖ / ‖h‖", Exposure::Quantity::Scalar, "L", 0, 2, false, false, false};
}

#else

LayerChanges::LayerChanges(const std::string& path, const Forward& f)
    : path_(path), forward_(f), isWanted_(f.wants(path, kChange)) {}

void LayerChanges::note(const at::Tensor& before_BSD, const at::Tensor& after_BSD) {
    if (!isWanted_) return;
    const at::NoGradGuard forTheTapsAlone;
    if (before_BSD.sizes() != after_BSD.sizes()) {  // a layer that widens the stream has no difference
        changes_.push_back(at::full({}, std::numeric_limits<double>::quiet_NaN(), after_BSD.options()));
        return;
    }
    // From a zero stream the relative change is 1.
    const at::Tensor length = before_BSD.norm(), reference = at::where(length > 0, length, after_BSD.norm().clamp_min(1e-30));
    changes_.push_back((after_BSD - before_BSD).norm() / reference);
}

void LayerChanges::show() const {
    if (isWanted_) forward_.pass(path_, kChange, at::stack(changes_));
}

at::Tensor runLayers(const at::Tensor& h_BSD, std::int64_t layers, const Share::Step& step, LayerChanges& changes) {
    at::Tensor h = h_BSD;
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        const at::Tensor before = h;
        h = step(layer, h);
        changes.note(before, h);
    }
    changes.show();
    return h;
}

#endif

}  // namespace heddle
