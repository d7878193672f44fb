// SPDX-License-Identifier: Apache-2.0
#ifdef HEDDLE_MODULES

#include "engine/blocks/streams.h"

#include "engine/device/torch_pch.h"

#include <c10/core/impl/LocalDispatchKeySet.h>

namespace heddle {

namespace {

constexpr const char* kStreamNorm = "stream_norm";

}  // namespace

at::Tensor StreamsResidual::expand(const at::Tensor& h_BSD) const {
    return h_BSD.to(type_).unsqueeze(-2).expand({h_BSD.size(0), h_BSD.size(1), streams_, h_BSD.size(2)});
}

at::Tensor StreamsResidual::write(const Reading& reading, const at::Tensor& s_BSD) {
    if (!s_BSD.defined()) return reading.kept_BSND;
    return reading.kept_BSND + reading.write_BSN.unsqueeze(-1) * s_BSD.unsqueeze(-2);
}

at::Tensor StreamsResidual::merge(const at::Tensor& streams_BSND) { return streams_BSND.sum(-2); }

at::Tensor StreamsResidual::join(const at::Tensor& r_BSD, const at::Tensor&, const at::Tensor& s_BSD, const Forward& f) const {
    return merge(write(read(expand(r_BSD), f), s_BSD));
}

void StreamsResidual::showNorms(const at::Tensor& streams_BSND, const Forward& f) const {
    if (!f.wants(path_, kStreamNorm)) return;
    const at::NoGradGuard forTheTapsAlone;
    f.pass(path_, kStreamNorm, streams_BSND.norm(2, {-1}).mean(at::IntArrayRef{0, 1}));
}

at::Tensor StreamsResidual::shown(const char* exposure, const at::Tensor& weights, const at::Tensor& streams_BSND,
                                  const Forward& f) const {
    if (!f.wants(path_, exposure) && !f.replaces(path_, exposure)) return weights;
    std::vector<std::int64_t> sizes{streams_BSND.size(0), streams_BSND.size(1)};
    const bool isOfAll = weights.dim() <= 2;
    const at::IntArrayRef own = isOfAll ? weights.sizes() : weights.sizes().slice(2);
    sizes.insert(sizes.end(), own.begin(), own.end());
    return f.pass(path_, exposure, weights.expand(sizes));
}

StreamsResidual::Reading StreamsResidual::mixtures(const at::Tensor& weights, const at::Tensor& streams_BSND) const {
    const auto mixed = [&](const at::Tensor& own) { return mixStreams(own.unsqueeze(-2), streams_BSND).squeeze(-2); };
    if (weights.size(-1) == streams_) return {mixed(weights), {}, {}};
    const auto of = [&](std::int64_t view) { return weights.narrow(-1, view * streams_, streams_); };
    return {mixed(of(0)), {}, {}, mixed(of(1)), mixed(of(2))};
}

at::Tensor mixStreams(const at::Tensor& weights_MN, const at::Tensor& streams_BSND) {
    const c10::impl::ExcludeDispatchKeyGuard withoutAutocast(c10::autocast_dispatch_keyset);
    return at::matmul(weights_MN, streams_BSND);
}

DepthResidual::Entry DepthResidual::enter(DepthStates&, const at::Tensor& h_BSD, const Forward&) const {
    return {h_BSD, h_BSD};
}

at::Tensor DepthResidual::join(const at::Tensor& r_BSD, const at::Tensor&, const at::Tensor& s_BSD, const Forward& f) const {
    DepthStates states{r_BSD};
    return joinOver(states, r_BSD, s_BSD, f);
}

at::Tensor weightedSum(const at::Tensor& weights, const DepthStates& states_BSD) {
    const auto weight = [&](std::size_t n) { return weights.narrow(-1, static_cast<std::int64_t>(n), 1); };
    at::Tensor sum_BSD = weight(0) * states_BSD.front();
    for (std::size_t n = 1; n < states_BSD.size(); ++n) sum_BSD = at::addcmul(sum_BSD, weight(n), states_BSD[n]);
    return sum_BSD;
}

}  // namespace heddle

#endif
