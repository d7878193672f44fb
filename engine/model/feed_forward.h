// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/mixer.h"
#include "engine/model/module_part.h"

namespace heddle {

/// The position-wise network as a sublayer's mixer.
class FeedForwardMixer final : public Mixer {
public:
    explicit FeedForwardMixer(ModulePart<FeedForward> network) : network_(std::move(network)) {}
    at::Tensor mix(const at::Tensor& u_BSD, const Adjuster*, const MixContext&, const Forward& f) const override {
        return network_->transform(u_BSD, f);
    }
    std::string stepObstacle(Steps) const override { return {}; }

private:
    ModulePart<FeedForward> network_;
};

}  // namespace heddle
