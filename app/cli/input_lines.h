// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/context.h"

#include <functional>
#include <istream>
#include <string>

namespace heddle::app {

/// Calls `handle` for TEXT, or for every line of standard input if TEXT is empty or "-". Removes a CR before the line end.
inline void forEachLine(const Context& context, const std::string& text,
                        const std::function<void(const std::string&)>& handle) {
    if (!text.empty() && text != "-") return handle(text);
    for (std::string line; std::getline(context.in, line);) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        handle(line);
    }
}

}  // namespace heddle::app
