// SPDX-License-Identifier: Apache-2.0
#include "engine/model/stack.h"

#include "engine/device/torch_pch.h"

namespace heddle {

at::Tensor Stack::run(at::Tensor x_BSD, const MixContext& context, const Forward& f) const {
    for (const Layer& layer : layers_) {
        for (const Sublayer& sublayer : layer) x_BSD = sublayer.run(x_BSD, context, f);
    }
    return finalNorm_ ? finalNorm_->normalise(x_BSD) : x_BSD;
}

}  // namespace heddle
