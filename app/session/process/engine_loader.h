// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/engine.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::app {

struct PythonTorch {
    std::string folder;   ///< of the `torch` package of the python3 on PATH
    std::string problem;  ///< why there is none
};
/// Asks python3 for the location only, without importing torch; timeout 3 s. Places that depend on the current folder are not
/// searched.
PythonTorch pythonTorch();

/// A location searched for LibTorch.
struct LibTorchCandidate {
    std::string origin;   ///< "HEDDLE_LIBTORCH", "install tree", ".deps", "heddle setup", "python3"
    std::string folder;   ///< the folder with lib/libtorch_cpu.so; empty: the origin names none
    std::string version;  ///< "2.11.0+cu130"; empty: unknown
    std::string problem;  ///< why it is unusable; empty: usable
};

/// Result of the search for LibTorch and the engine library. `doctor` prints it; loadEngine() uses it.
struct EngineReport {
    std::vector<LibTorchCandidate> searched;  ///< in order; the search ends at the first usable one
    std::string libTorch;                     ///< folder of the LibTorch chosen, or empty
    std::string libTorchVersion;
    std::string engineLibrary;  ///< path of libheddle_engine.so, or empty
    std::string driver;         ///< "found", or why there is no NVIDIA driver
    std::string problem;        ///< empty if the engine can be (or was) loaded
    std::string next;           ///< what to do about the problem
};

/// Where `heddle setup` puts LibTorch for this user: the folder that has the folders of all wheels. Throws as
/// defaultDataFolder().
std::string ownWheelsFolder();

/// Searches HEDDLE_LIBTORCH, the install tree, .deps of the source tree, what `heddle setup` fetched, and the torch 2.11 of the
/// Python in use, in this order. A torch of Python's that lies below the current folder counts only if the program lies there,
/// too. Loads nothing. An unusable HEDDLE_LIBTORCH ends the search: an explicit setting is never ignored silently.
EngineReport inspectEngine();

/// The places of the search as one line, each with what was found: "python3: not there; .deps /src/torch: usable".
std::string searchedList(const EngineReport& report);

/// Opens an engine library; LibTorch must be loaded if it needs it. Throws Error(Failure) when it cannot be loaded or was built
/// with other headers than this program.
std::shared_ptr<Engine> openEngineLibrary(const std::string& file);

/// Opens LibTorch and the engine library, once per process; later calls return the same engine. Throws Error(Failure) with the
/// locations searched and advice. Thread-safe.
std::shared_ptr<Engine> loadEngine();

}  // namespace heddle::app
