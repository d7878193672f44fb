// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/run_spec.h"

#include <string>

namespace heddle {

/// Whether examples of this data.format are computed rather than read from files.
bool isGenerated(const std::string& format);

/// Throws Error(InvalidInput) unless training data are named and every named file exists, for pairs both files of a split; call
/// it before creating a run.
void requireDataFiles(const DataSpec& data);

}  // namespace heddle
