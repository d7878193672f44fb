// SPDX-License-Identifier: Apache-2.0
// What the library offers besides training: sessions on a checkpoint, and the evaluation of a run.
#pragma once

#include "engine/data/loading/run_data.h"
#include "engine/run/engine.h"
#include "engine/run/inspection.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle {

/// Opens a checkpoint for inference: builds the variant with the vocabulary sizes of the run's saved tokenizers and loads the
/// verified weights. See Engine::openInference.
std::unique_ptr<InferenceSession> openInferenceSession(const RunSpec& spec, const std::string& runFolder,
                                                       const std::string& checkpointFolder, const std::string& device);

/// See Engine::openInspection.
std::unique_ptr<InspectionSession> openInspectionSession(const InspectionRequest& request);

/// See Engine::evaluate.
EvaluationReport evaluateRun(const EvaluationRequest& request);

/// Warnings to be shown beside the numbers of a split: the loader's, and one if the data are synthetic.
std::vector<std::string> warningsOfData(const RunData& data, const std::string& split);

}  // namespace heddle
