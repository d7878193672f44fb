// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/bench_rows.h"

#include <string>
#include <vector>

namespace heddle::app {

/// Runs `heddle bench train --launches`: counts what one training step of each workload launches on a GPU, first without
/// Heddle's kernels and then with them. Prints a table, or the document "heddle.launches/1". Returns the exit code.
int countLaunches(const std::vector<std::string>& workloads, const BenchSettings& settings, const Context& context);

}  // namespace heddle::app
