// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/block.h"

namespace heddle {

/// Which keys a query may see. Made once for a forward pass and shared by every layer.
struct AttentionMask {
    at::Tensor hidden;  ///< bool, broadcast to [B,H,Q,K], true: not visible; undefined: everything is visible
    at::Tensor bias;    ///< the same as numbers to add to scores (0 or kHiddenScore); undefined with `hidden`
};

/// The score of a hidden key. Finite, so that a row without any visible key (a batch row that is all padding) gives numbers
/// instead of NaN; far enough below every score that exp(kHiddenScore − max) is exactly 0; representable in bfloat16.
inline constexpr double kHiddenScore = -1e30;

AttentionMask maskFromHidden(const at::Tensor& hidden, at::ScalarType type);
/// Hides padding keys: ids_BK → hidden [B,1,1,K].
AttentionMask paddingMask(const at::Tensor& ids_BK, at::ScalarType type);
/// Hides keys after the query: hidden [S,S].
AttentionMask causalMask(std::int64_t length, const at::TensorOptions& options);

/// What a mixer may read besides its own stream; fixed for a whole stack.
struct MixContext {
    AttentionMask self, cross;
    at::Tensor memory_BKD;  ///< the encoder's output; decoder only
};

/// What stands in the middle of a sublayer: s = mixer(u, context) of variants.md section 0.
class Mixer {
public:
    virtual ~Mixer() = default;
    /// `inner` adjusts the merged heads before the output projection; null unless an adjuster asks for that place.
    virtual at::Tensor mix(const at::Tensor& u_BSD, const Adjuster* inner, const MixContext& context,
                           const Forward& f) const = 0;
};

}  // namespace heddle
