// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace heddle::app {

struct PythonTorch {
    std::string folder;   ///< of the `torch` package of the python3 on PATH
    std::string problem;  ///< why there is none
};
/// Asks python3 for the location only, without importing torch; timeout 3 s. A package is found in no place that depends on the
/// current folder.
PythonTorch pythonTorch();

}  // namespace heddle::app
