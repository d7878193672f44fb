// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/bench_rows.h"

#include <string>
#include <vector>

namespace heddle::app {

/// `heddle bench train --launches`: counts what a training step of every workload launches on a GPU, with Heddle's kernels and
/// without. Prints a table, or the document "heddle.launches/1". Returns the exit code.
int countLaunches(const std::vector<std::string>& workloads, const BenchSettings& settings, const Context& context);

}  // namespace heddle::app
