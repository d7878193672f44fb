// SPDX-License-Identifier: Apache-2.0
#include "app/cli/write_file.h"

#include "engine/base/error.h"
#include "engine/base/files.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace heddle::app {

void writeFile(const std::string& path, const std::string& contents) {
    const std::string temporary = path + ".tmp-" + std::to_string(getpid());
    errno = 0;
    std::ofstream file(temporary, std::ios::binary);
    file << contents;
    file.close();
    std::error_code error;
    if (!file) error = {errno == 0 ? EIO : errno, std::generic_category()};
    if (!error) std::filesystem::rename(temporary, path, error);
    if (error) {
        std::error_code ignored;
        std::filesystem::remove(temporary, ignored);
        throw Error(ErrorCode::Failure, "cannot write the file: " + writeProblem(error.value()), path,
                    writeAdvice(error.value()) + "; check that its folder is there");
    }
}

}  // namespace heddle::app
