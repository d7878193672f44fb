// SPDX-License-Identifier: Apache-2.0
#include "engine/base/resources.h"

#include "engine/base/error.h"

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace heddle {

namespace fs = std::filesystem;

std::string resourcePath(const std::string& relative) {
    std::vector<fs::path> folders;
    if (const char* named = std::getenv("HEDDLE_RESOURCES"); named && *named) folders.emplace_back(fs::absolute(named));
    std::error_code failed;
    if (const fs::path program = fs::read_symlink("/proc/self/exe", failed); !failed)
        folders.push_back(program.parent_path() / "../share/heddle");
    std::string searched;
    for (const auto& folder : folders) {
        const fs::path candidate = (folder / relative).lexically_normal();
        if (fs::exists(candidate, failed)) return candidate.string();
        searched += (searched.empty() ? "" : ", ") + folder.lexically_normal().string();
    }
    throw Error(ErrorCode::Failure, "resource \"" + relative + "\" not found", "searched " + searched,
                "install Heddle completely, or set HEDDLE_RESOURCES to its resources folder");
}

}  // namespace heddle
