// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace heddle {

/// Why a path below `folder` must not be used: the entry itself or a folder between them is a symbolic link, which a stranger
/// may have made to lead anywhere. Empty: no link. `path` is relative to `folder`, which itself may be reached through links.
/// Asked before a program reads, writes or removes anything inside FILE.heddle.d.
std::string linkProblem(const std::string& folder, const std::string& path);

/// Throws Error(InvalidInput) with linkProblem().
void requireNoLink(const std::string& folder, const std::string& path);

}  // namespace heddle
