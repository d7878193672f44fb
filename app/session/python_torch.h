// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace heddle::app {

/// Folder of the `torch` package of the python3 on PATH, or empty: no Python, no torch, or no answer within 3 s. Asks for the
/// place only, never imports torch.
std::string pythonTorchFolder();

}  // namespace heddle::app
