// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/context.h"
#include "engine/base/error.h"
#include "engine/base/unicode.h"
#include "engine/data/readers/text_file.h"

#include <functional>
#include <string>

namespace heddle::app {

/// Calls `handle` for TEXT, or for every line of standard input, read as files are, if TEXT is empty or "-". Throws
/// Error(InvalidInput) for what is not UTF-8.
inline void forEachLine(const Context& context, const std::string& text,
                        const std::function<void(const std::string&)>& handle) {
    if (text.empty() || text == "-")
        return heddle::forEachLine(context.in, [&](std::string_view line, std::int64_t) { handle(std::string(line)); });
    if (findInvalidUtf8(text)) throwInvalid("the text is not valid UTF-8", "TEXT", "use a terminal with UTF-8");
    handle(text);
}

}  // namespace heddle::app
