// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::app {

struct ChildResult {
    int code = 0;           ///< exit code, or 128 + signal
    std::string out, last;  ///< standard output; the last line of standard error
};

struct ChildOptions {
    std::vector<std::pair<std::string, std::string>> environment = {};  ///< added to ours
    std::optional<std::chrono::milliseconds> timeout = {};              ///< after which it is killed; absent: none
    std::function<bool()> stopRequested = {};  ///< asked ten times a second; true kills it; may be empty
    bool hasLowestPriority = false;            ///< nice 19
    bool showsErrors = false;                  ///< its standard error is ours; ChildResult::last stays empty
};

/// The last line of a text that is not empty.
std::string lastLineOf(std::string text);

/// What execve() takes: a pointer to each text, and a null pointer. The texts must outlive it.
std::vector<char*> pointersTo(std::vector<std::string>& texts);

/// Runs a program (found in PATH) and waits for its end. Throws Error(Usage) when it cannot be started.
ChildResult runChild(std::vector<std::string> arguments, const ChildOptions& options = {});

}  // namespace heddle::app
