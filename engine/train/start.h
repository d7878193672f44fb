// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/model.h"
#include "engine/run/events.h"
#include "engine/spec/run_spec.h"

namespace heddle {

/// Gives a fresh model the weights of the checkpoint that the run starts from: parameters of equal path and shape are taken
/// over, the others keep what they were drawn as, or with start.neutral what makes their block as good as absent
/// (BlockDescriptor:: neutral). Frozen parameters stop asking for gradients. Returns what happened, as Note "start" with data
/// {run, step, weights_sha256, taken, drawn, neutral, frozen} (paths). Throws Error(InvalidInput) when the checkpoint is
/// damaged, is not the one that the spec names, shares no parameter with the model, or when everything would be frozen.
Note startFrom(Model& model, const StartSpec& start);

/// The part of it that a resumed run needs: its weights come from its own checkpoint.
void freezeParameters(Model& model, const StartSpec& start);

}  // namespace heddle
