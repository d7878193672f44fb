// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/dataset.h"
#include "engine/run/engine.h"

namespace heddle {

/// See Engine::evaluate.
EvaluationReport evaluateRun(const EvaluationRequest& request);

/// What has to be read beside numbers of a split: the loader's warnings of it, that its data are synthetic, and, where
/// `identity` (a checkpoint's) is an object, that they are not those of the run.
std::vector<std::string> warningsOfData(const RunData& data, const std::string& split, const Json& identity);

}  // namespace heddle
