// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/loading/run_data.h"
#include "engine/run/engine.h"

namespace heddle {

/// See Engine::evaluate.
EvaluationReport evaluateRun(const EvaluationRequest& request);

/// Warnings to be shown beside the numbers of a split: the loader's, and one if the data are synthetic.
std::vector<std::string> warningsOfData(const RunData& data, const std::string& split);

}  // namespace heddle
