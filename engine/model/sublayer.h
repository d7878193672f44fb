// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/mixer.h"

#include <memory>

namespace heddle {

/// The parts of one sublayer.
struct SublayerParts {
    std::unique_ptr<Mixer> mixer;
    std::unique_ptr<Adjuster> adjuster;
    std::unique_ptr<Parallel> parallel;
    std::shared_ptr<const Dropout> dropout;
    std::unique_ptr<Residual> residual;
    std::unique_ptr<Norm> norm;
};

/// One sublayer, evaluated in the fixed order of variants.md section 0:
///   u = N(r) if pre; s = mixer(u); adjust; dropout; + what is parallel to it; y = residual(r, s); N(y) if post; adjust after
///   it under eau.where=before_ffn.
class Sublayer {
public:
    explicit Sublayer(SublayerParts parts) : parts_(std::move(parts)) {}
    at::Tensor run(const at::Tensor& r_BSD, const MixContext& context, const Forward& f) const;
    std::string stepObstacle() const { return parts_.mixer->stepObstacle(); }

private:
    at::Tensor adjustAndDrop(at::Tensor s_BSD, const Forward& f) const;

    SublayerParts parts_;
};

}  // namespace heddle
