// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json_fwd.h"
#include "engine/run/inspection.h"

#include <string>

namespace heddle::app {

// Parts of "heddle.inspect/1" (resources/help/inspect.md), and the same for people.

/// The level and the method of the intervals.
Json intervalDocument();

Json effectDocument(const EffectReport& report);
std::string effectText(const EffectReport& report);

Json rankDocument(const RankReport& report);
std::string rankText(const RankReport& report);

Json textDocument(const std::string& text, const TextEffect& effect);

/// The parts of a model that can be changed.
Json targetsDocument(const InterventionTargets& targets);
std::string targetsText(const InterventionTargets& targets);

}  // namespace heddle::app
