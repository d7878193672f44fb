// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command_line.h"
#include "engine/spec/run_spec.h"
#include "storage/records.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// A SPEC argument as a run-spec document: a JSON file (a run spec or a bare variant) or the name of a preset; then every
/// --set. `base` becomes the folder that the file's relative data paths start from.
Json readSpec(const std::string& spec, const std::vector<std::string>& assignments, std::string& base);

/// readSpec, parsed and checked.
RunSpec readRunSpec(const std::string& spec, const std::vector<std::string>& assignments);
VariantSpec readVariant(const std::string& spec, const std::vector<std::string>& assignments);

/// The spec of a recorded run; then every --set.
RunSpec readRunSpec(const storage::RunRecord& run, const std::vector<std::string>& assignments);

/// What a command that makes a run lets its user change.
struct RunChanges {
    std::vector<std::string> set;
    std::string name;
    std::optional<std::int64_t> seed;

    /// As assignments, so that they are checked alike: --set first, then the others.
    std::vector<std::string> assignments() const;
};

/// Declares --set, --name and --seed; `seeded` says what the seed is for.
void addRunChanges(CommandBuilder& command, RunChanges& changes, const std::string& seeded);

/// Throws Error(InvalidInput) unless the device can be one, training data are named, and every file that is named is there:
/// told at once, before a run is made of it.
void requireUsable(const RunSpec& spec);
/// The part of it that looks at the data.
void requireFiles(const DataSpec& data);

}  // namespace heddle::app
