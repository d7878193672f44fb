// SPDX-License-Identifier: Apache-2.0
#include "engine/base/recorded_file.h"

#include "engine/base/error.h"
#include "engine/base/links.h"
#include "engine/base/sha256.h"

#include <filesystem>

namespace heddle {

namespace fs = std::filesystem;

std::string recordedFileProblem(const std::string& folder, const RecordedFile& file) {
    if (std::string problem = linkProblem(folder, file.path); !problem.empty()) return problem;
    const std::string path = (fs::path(folder) / file.path).string();
    std::error_code failed;
    if (!fs::is_regular_file(path, failed)) return path + " is missing";
    if (file.most > 0 && fs::file_size(path, failed) > file.most) return path + " is damaged: it is larger than recorded";
    try {
        return sha256OfFile(path) == file.sha256 ? "" : path + " is damaged: its SHA-256 is not the recorded one";
    } catch (const Error& error) {
        return error.what();
    }
}

}  // namespace heddle
