// SPDX-License-Identifier: Apache-2.0
#include "engine/base/temporary_folder.h"

#include "engine/base/error.h"

#include <cstdlib>
#include <filesystem>

namespace heddle {

TemporaryFolder::TemporaryFolder() : path_((std::filesystem::temp_directory_path() / "heddle-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr)
        throw Error(ErrorCode::Failure, "cannot create a temporary folder", path_, "set TMPDIR to a folder you can write to");
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace heddle
