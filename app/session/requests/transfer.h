// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace heddle::app {

/// Copies runs with all their records, checkpoints and tokenizers from one run database into another, which is created if
/// missing. `runs`: ids, unique prefixes or unique names; empty: all finished runs that are not in the trash. Returns the
/// copied ids. Throws Error(Usage) for an active run, and StorageError when the other database already has the run or is owned
/// by a program; runs copied before are complete and kept.
std::vector<std::string> copyRuns(const std::string& from, const std::string& to, const std::vector<std::string>& runs);

}  // namespace heddle::app
