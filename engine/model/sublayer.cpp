// SPDX-License-Identifier: Apache-2.0
#include "engine/model/sublayer.h"

#include "engine/device/torch_pch.h"

namespace heddle {

at::Tensor Sublayer::run(const at::Tensor& r_BSD, const MixContext& context, const Forward& f) const {
    const auto& [mixer, adjuster, parallel, dropout, residual, norm] = parts_;
    const Norm::Place place = norm->place();
    const Adjuster* const inner = adjuster->place() == Adjuster::Place::BeforeOutputProjection ? adjuster.get() : nullptr;

    const at::Tensor u_BSD = place == Norm::Place::Pre ? norm->normalise(r_BSD) : r_BSD;
    at::Tensor s_BSD = adjustAndDrop(mixer->mix(u_BSD, inner, context, f), f);
    if (const at::Tensor beside_BSD = parallel->beside(u_BSD, f); beside_BSD.defined()) s_BSD = s_BSD + beside_BSD;
    at::Tensor y_BSD = residual->join(r_BSD, u_BSD, s_BSD, f);
    if (place == Norm::Place::Post) y_BSD = norm->normalise(y_BSD);
    return adjuster->place() == Adjuster::Place::BeforeFeedForward ? adjuster->adjust(y_BSD, f) : y_BSD;
}

at::Tensor Sublayer::adjustAndDrop(at::Tensor s_BSD, const Forward& f) const {
    const bool adjusts = parts_.adjuster->place() == Adjuster::Place::AttentionOutput;
    const bool adjustsFirst = parts_.dropout->order() == Dropout::Order::AfterAdjuster;
    if (adjusts && adjustsFirst) s_BSD = parts_.adjuster->adjust(s_BSD, f);
    s_BSD = parts_.dropout->sublayer(s_BSD, f);
    if (adjusts && !adjustsFirst) s_BSD = parts_.adjuster->adjust(s_BSD, f);
    return s_BSD;
}

}  // namespace heddle
