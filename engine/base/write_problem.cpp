// SPDX-License-Identifier: Apache-2.0
#include "engine/base/write_problem.h"

#include <cerrno>
#include <cstring>

namespace heddle {

std::string writeProblem(int error) {
    return error == EFBIG ? "the file would be larger than the limit on file sizes" : std::strerror(error);
}

std::string writeAdvice(int error) {
    if (error == EFBIG) return "raise the limit (ulimit -f unlimited), or use a file system that takes larger files";
    return "free disk space, or check the folder's permissions";
}

}  // namespace heddle
