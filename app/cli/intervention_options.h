// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command_line.h"
#include "engine/run/interventions.h"

#include <string>
#include <vector>

namespace heddle::app {

/// The texts of the options --mute, --mean, --resample, --clamp, --scale, --cut-carry, --identity and --neutral.
struct InterventionOptions {
    std::vector<std::string> mute, mean, resample, clamp, scale, cutCarry, identity, neutral;
};

/// Declares those that a training allows. `options` must live as long as the command.
CommandBuilder& addInterventionOptions(CommandBuilder& command, InterventionOptions& options);

/// Declares --mean and --resample in the same way. Only a finished run takes them.
CommandBuilder& addAblationOptions(CommandBuilder& command, InterventionOptions& options);

/// Throws Error(Usage) for a text that says nothing.
std::vector<Intervention> interventionsOf(const InterventionOptions& options);

}  // namespace heddle::app
