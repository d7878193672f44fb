// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace heddle {

/// Where the process of an attempt was started, as the attempt's context records it. What is not known is empty.
struct Surroundings {
    std::vector<std::string> command;  ///< the arguments of the process, cut after 16 KiB
    std::string folder;                ///< its working folder
    std::string commit;                ///< of the git working tree that the folder is in; 40 or 64 hexadecimal digits
    bool isDirty = false;              ///< whether tracked files differ from the commit
    bool operator==(const Surroundings&) const = default;
};

/// Returns the arguments as one line for a shell. Arguments with characters that a shell may interpret are quoted.
std::string commandText(const std::vector<std::string>& command);

}  // namespace heddle
