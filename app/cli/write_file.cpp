// SPDX-License-Identifier: Apache-2.0
#include "app/cli/write_file.h"

#include "engine/spec/error.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace heddle::app {

void writeFile(const std::string& path, const std::string& contents) {
    const std::string temporary = path + ".tmp-" + std::to_string(getpid());
    std::ofstream file(temporary, std::ios::binary);
    file << contents;
    file.close();
    std::error_code error;
    if (file) std::filesystem::rename(temporary, path, error);
    if (!file || error) {
        std::error_code ignored;
        std::filesystem::remove(temporary, ignored);
        throw Error(ErrorCode::Failure, "the file cannot be written", path,
                    "check that its folder is there, writable and not full");
    }
}

}  // namespace heddle::app
