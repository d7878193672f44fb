// SPDX-License-Identifier: Apache-2.0
#ifdef HEDDLE_MODULES

#include "engine/blocks/selector/feature_attention.h"

namespace heddle {
namespace {

// The values used by the authors of SEA (performer-pytorch).
constexpr double kSoftmaxFloor = 1e-4, kReluFloor = 1e-3;
constexpr double kLeastSum = 1e-20;  ///< the sum of a row with a visible key exceeds 1e-8

at::Tensor softmaxFeatures(const at::Tensor& x_BHSE, const at::Tensor& products_BHSM, const at::Tensor& top) {
    const at::Tensor half_BHS1 = x_BHSE.square().sum(-1, true) / 2;
    return ((products_BHSM - half_BHS1 - top).exp() + kSoftmaxFloor) / std::sqrt(static_cast<double>(products_BHSM.size(-1)));
}

/// Features of the keys in real_b11K; other keys get the smallest feature.
at::Tensor softmaxFeaturesOfKeys(const at::Tensor& k_BHKE, const at::Tensor& products_BHKM, const at::Tensor& real_b11K) {
    const at::Tensor real_b1K1 = real_b11K.transpose(-1, -2);
    const at::Tensor shown_BHKM = products_BHKM.masked_fill(real_b1K1.logical_not(), kHiddenScore);
    const at::Tensor top = shown_BHKM.amax({-2, -1}, true).masked_fill(real_b1K1.any(-2, true).logical_not(), 0);
    return softmaxFeatures(k_BHKE, shown_BHKM, top);
}

}  // namespace

at::Tensor FeatureAttention::weights() const {
    const at::Tensor q = q_BHQE * std::sqrt(scale), k = k_BHKE * std::sqrt(scale);
    at::Tensor ofQ = at::matmul(q, features_ME.t()), ofK = at::matmul(k, features_ME.t());
    if (hidesFuture) {
        ofQ = at::relu(ofQ) + kReluFloor;
        ofK = at::relu(ofK) + kReluFloor;
    } else {
        ofQ = softmaxFeatures(q, ofQ, ofQ.amax(-1, true));
        ofK = softmaxFeaturesOfKeys(k, ofK, real_b11K);
    }
    const at::Tensor products_BHQK = at::matmul(ofQ, ofK.transpose(-1, -2)).masked_fill(visible_b1qK.logical_not(), 0);
    return products_BHQK / products_BHQK.sum(-1, true).clamp_min(kLeastSum);
}

}  // namespace heddle

#endif
