// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/block_descriptor.h"

#include <string>
#include <vector>

namespace heddle {

/// The formula of a block when one option has another value than its default.
struct FormulaCase {
    std::string option;  ///< its key
    Json value;
    std::string formula;
};

/// "bias false", "gate_input norm_r"; "gate" where an object is there.
std::string optionText(const FormulaCase& of);

/// Every value of a choice, a flag or an optional object that changes the block's formula, in the order of its parameters.
std::vector<FormulaCase> otherFormulas(const BlockDescriptor& block);

}  // namespace heddle
