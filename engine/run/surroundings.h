// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"

#include <string>
#include <vector>

namespace heddle {

/// Where the process of an attempt was started: members of the attempt's context. What is not known is empty.
struct Surroundings {
    std::vector<std::string> command;  ///< the arguments of the process, cut after 16 KiB
    std::string folder;                ///< its working folder
    std::string commit;                ///< of the git working tree that the folder is in; 40 or 64 hexadecimal digits
    bool isDirty = false;              ///< whether tracked files differ from the commit
    bool operator==(const Surroundings&) const = default;
};

/// "command", "folder" and "git": {"commit", "dirty"}; without what is empty.
Json surroundingsJson(const Surroundings& surroundings);

/// `context`: AttemptRecord::context. What is missing or of another form is empty.
Surroundings surroundingsIn(const std::string& context);

/// The arguments as a shell takes them: those with other characters than a path has are quoted.
std::string commandText(const std::vector<std::string>& command);

}  // namespace heddle
