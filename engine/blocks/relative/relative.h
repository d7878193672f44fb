// SPDX-License-Identifier: Apache-2.0
// What the blocks of slot "relative" share with the scorers that are named after them.
#pragma once

#include "engine/blocks/block_file.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace heddle {

/// Rotary positions: which components of a head turn, and how fast.
struct RotaryForm {
    double base = 10000;
    double share = 1;  ///< of the components of a head
    /// Number of components that turn, the first ones; even.
    std::int64_t width(std::int64_t keyDim) const {
        return 2 * static_cast<std::int64_t>(std::floor(share * static_cast<double>(keyDim) / 2 + 1e-9));
    }
};
FieldSchema rotaryBaseField();

#ifdef HEDDLE_MODULES

std::unique_ptr<const RelativePosition> makeRotary(const BuildContext& context, const RotaryForm& form);
std::unique_ptr<const RelativePosition> makeAlibi(const BuildContext& context);
/// The positions of `count` rows as a tensor [count] with these options.
at::Tensor rowNumbers(const StepPosition& at, std::int64_t count, const at::TensorOptions& options);

#else

/// The problem of a distance in cross-attention; nothing elsewhere.
std::optional<Problem> needsDistance(const BlockContext& where);
/// The same, and that of a width of which no component can turn.
std::optional<Problem> needsPairs(const BlockContext& where, const RotaryForm& form);
/// "2^(−8h/P) for h = 1 … P, …": the slopes of ALiBi in formulas.
std::string alibiSlopes();

#endif

}  // namespace heddle
