// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace heddle::app {

/// Copies runs with everything that was recorded of them, their checkpoints and tokenizers, from one run database into another,
/// which is created where it does not exist. `runs`: ids, unique prefixes or unique names; empty for all that are finished and
/// not in the trash. Returns the ids copied. Throws Error(Usage) for a run that is still in work, and StorageError when the
/// other database has it already or is owned by a program; what was copied until then stays and is whole.
std::vector<std::string> copyRuns(const std::string& from, const std::string& to, const std::vector<std::string>& runs);

}  // namespace heddle::app
