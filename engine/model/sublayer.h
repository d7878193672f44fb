// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/fusing.h"
#include "engine/model/mixer.h"
#include "engine/model/module_part.h"

#include <memory>
#include <string>

namespace heddle {

/// The parts of one sublayer.
struct SublayerParts {
    std::unique_ptr<Mixer> mixer;
    ModulePart<Adjuster> adjuster;
    ModulePart<Parallel> parallel;
    ModulePart<Dropout> dropout;
    ModulePart<Residual> residual;
    ModulePart<Norm> norm;
    std::string path;  ///< "encoder.layers.0.self"
};

/// One sublayer, evaluated in the fixed order of variants.md section 0:
///   u = N(r) if pre; s = mixer(u); adjust; dropout; + parallel block; y = residual(r, s); N(y) if post; adjust after
///   it under eau.where=before_ffn.
class Sublayer {
public:
    explicit Sublayer(SublayerParts parts);
    at::Tensor run(const at::Tensor& r_BSD, const MixContext& context, const Forward& f) const;
    std::string stepObstacle(Steps steps) const { return parts_.mixer->stepObstacle(steps); }

private:
    struct Joined {
        const at::Tensor &r_BSD, &u_BSD, &s_BSD;  ///< sublayer input, mixer input, mixer output before dropout
    };
    at::Tensor joinInOnePass(const Joined& in, const Forward& f) const;

    SublayerParts parts_;
    const AddingResidual* adding_;  // null: not supported
    const AffineLayerNorm* affine_;
    const KeyedDropout* keyed_;
};

}  // namespace heddle
