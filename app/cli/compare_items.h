// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/context.h"

#include <string>
#include <vector>

namespace heddle::app {

/// `heddle compare --items`: differences over seeds and test items together (two_level.h, without pairs) of outputs in files
/// ("heddle.compare-items/1"). `arguments`: [REFERENCE] BASE=FILE,FILE… OTHER=FILE,FILE…, a file for each seed. With a
/// reference the files are texts, a sentence a line, and `metric` is "bleu" or "chrf"; without one they are tables of heddle
/// classify --predictions, and it is "accuracy" or "f1" (of the second of two classes, else macro); empty: the first of each.
/// Throws Error(Usage) for arguments of another form, Error(InvalidInput) for files that cannot be read or are not of one test
/// set.
int compareItems(const std::vector<std::string>& arguments, const std::string& metric, const Context& context);

}  // namespace heddle::app
