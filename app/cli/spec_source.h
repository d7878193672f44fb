// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command_line.h"
#include "engine/spec/run_spec.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// Reads a SPEC argument as a run-spec document: a JSON file (a run spec or a bare variant) or the name of a preset; then
/// applies every --set. Sets `base` to the folder at which the file's relative data paths start.
Json readSpec(const std::string& spec, const std::vector<std::string>& assignments, std::string& base);

/// readSpec, parsed and checked.
RunSpec readRunSpec(const std::string& spec, const std::vector<std::string>& assignments);
VariantSpec readVariant(const std::string& spec, const std::vector<std::string>& assignments);

/// Options of commands that create a run.
struct RunChanges {
    std::vector<std::string> set;
    std::string name;
    std::optional<std::int64_t> seed;

    /// All options as assignments, which are validated uniformly: --set first, then the others.
    std::vector<std::string> assignments() const;
};

/// Declares --set, --name and --seed; `seeded` describes what the seed affects.
void addRunChanges(CommandBuilder& command, RunChanges& changes, const std::string& seeded);

}  // namespace heddle::app
