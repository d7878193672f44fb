// SPDX-License-Identifier: Apache-2.0
#include "engine/base/links.h"

#include "engine/base/error.h"

#include <filesystem>

namespace heddle {

namespace fs = std::filesystem;

std::string linkProblem(const std::string& folder, const std::string& path) {
    fs::path inside = folder;
    std::error_code missing;
    for (const auto& part : fs::path(path)) {
        inside /= part;
        if (fs::is_symlink(inside, missing)) return inside.string() + " is a link, which is not followed";
    }
    return {};
}

void requireNoLink(const std::string& folder, const std::string& path) {
    if (const auto problem = linkProblem(folder, path); !problem.empty())
        throwInvalid(problem, (fs::path(folder) / path).string(), "put the file or folder itself in the link's place");
}

}  // namespace heddle
