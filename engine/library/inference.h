// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/engine.h"

#include <memory>
#include <string>

namespace heddle {

/// Opens a checkpoint for inference: builds the variant with the vocabulary sizes of the run's saved tokenizers and loads the
/// verified weights. See Engine::openInference.
std::unique_ptr<InferenceSession> openInferenceSession(const RunSpec& spec, const std::string& runFolder,
                                                       const std::string& checkpointFolder, const std::string& device);

}  // namespace heddle
