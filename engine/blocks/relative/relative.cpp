// SPDX-License-Identifier: Apache-2.0
#include "engine/blocks/relative/relative.h"

namespace heddle {

#ifdef HEDDLE_MODULES

at::Tensor rowNumbers(const StepPosition& at, std::int64_t count, const at::TensorOptions& options) {
    return at.onDevice_1.defined() ? at.onDevice_1.to(options) : at::arange(at.first, at.first + count, options);
}

#else

std::optional<Problem> needsDistance(const BlockContext& where) {
    if (where.sublayer != SublayerName::Cross) return std::nullopt;
    return Problem{"kind", "cross-attention has no distance between queries and keys", "use none on cross-attention"};
}

#endif

}  // namespace heddle
