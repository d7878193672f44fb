// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace heddle::app {

struct PythonTorch {
    std::string folder;   ///< of the `torch` package of the python3 on PATH
    std::string problem;  ///< why there is none
};
/// Asks python3 for the place only, never imports torch; waits 3 s at most.
PythonTorch pythonTorch();

}  // namespace heddle::app
