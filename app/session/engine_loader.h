// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/engine.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::app {

/// One place where LibTorch was looked for.
struct LibTorchCandidate {
    std::string origin;   ///< "HEDDLE_LIBTORCH", "install tree", "python3", ".deps"
    std::string folder;   ///< the folder that holds lib/libtorch_cpu.so; empty when the origin names none
    std::string version;  ///< "2.11.0+cu130", or empty when not told
    std::string problem;  ///< why it cannot be used; empty if it can
};

/// What the search for LibTorch and the engine library found. `doctor` prints it; loadEngine() acts on it.
struct EngineReport {
    std::vector<LibTorchCandidate> searched;  ///< in order; the search ends at the first usable one
    std::string libTorch;                     ///< folder of the LibTorch chosen, or empty
    std::string libTorchVersion;
    std::string engineLibrary;  ///< path of libheddle_engine.so, or empty
    std::string driver;         ///< "found", or why there is no NVIDIA driver
    std::string problem;        ///< empty if the engine can be loaded (or was loaded)
    std::string next;           ///< what to do about the problem
};

/// Searches in the order of design section 5: HEDDLE_LIBTORCH, the install tree, the torch 2.11 of the Python in use, .deps
/// beside the source tree. Loads nothing. A HEDDLE_LIBTORCH that cannot be used ends the search: an explicit wish is not
/// passed over in silence.
EngineReport inspectEngine();

/// Opens an engine library; LibTorch must be loaded if it needs it. Throws Error(Failure) when it cannot be loaded, or was
/// built with other headers than this program.
std::shared_ptr<Engine> openEngineLibrary(const std::string& file);

/// Opens LibTorch and the engine library, once per process; later calls return the same engine. Throws Error(Failure) that says
/// what was searched and what to do. Thread-safe.
std::shared_ptr<Engine> loadEngine();

}  // namespace heddle::app
