// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/composed_model.h"

#include <memory>

namespace heddle {

/// A state that caches keys and values; one that re-reads all tokens if that is asked or the model has a stepObstacle().
std::unique_ptr<DecodingState> makeDecodingState(const ComposedModel& model, const Memory& memory, DecodingMemory kept);

/// The model must have no stepCaptureObstacle().
std::unique_ptr<ReplayableState> makeReplayableState(const ComposedModel& model, std::int64_t capacity);

}  // namespace heddle
