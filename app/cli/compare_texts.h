// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/context.h"

#include <string>
#include <vector>

namespace heddle::app {

/// `heddle compare --texts`: prints BLEU and chrF of stored outputs with sacreBLEU's paired tests of each against the first
/// ("heddle.compare-texts/1"). `files`: the reference, the output to compare with, and one or more others; a sentence a line.
/// Throws Error(Usage) for fewer than three files, Error(InvalidInput) for files that cannot be read, are empty or have unequal
/// numbers of lines.
int compareTexts(const std::vector<std::string>& files, const Context& context);

}  // namespace heddle::app
