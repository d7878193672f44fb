// SPDX-License-Identifier: Apache-2.0
#include "app/session/process/engine_loader.h"

#include "app/session/process/child_process.h"
#include "app/session/process/paths.h"
#include "engine/base/error.h"
#include "engine/run/build_identity.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <regex>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTorchVersion = "2.11";
constexpr const char* kEngineLibrary = "libheddle_engine.so";
constexpr const char* kAdvice =
    "run heddle setup, or set HEDDLE_LIBTORCH to the 'torch' folder of a Python that has torch 2.11";
constexpr std::chrono::milliseconds kPythonTimeout{3000};
/// -I: Python itself looks neither into the current folder nor where PYTHONPATH says, so that it runs nothing of theirs. The
/// package is looked for where the user's Python finds it, except in places that depend on the current folder.
constexpr const char* kWhereIsTorch = R"(
import importlib.machinery, os, site, sys
path = os.environ.get('PYTHONPATH', '').split(os.pathsep) + sys.path + [site.getusersitepackages()]
spec = importlib.machinery.PathFinder.find_spec('torch', [p for p in path if os.path.isabs(p)])
print(spec.submodule_search_locations[0] if spec and spec.submodule_search_locations else '')
)";

/// The wheel's version.py says `__version__ = '2.11.0+cu130'`; a bare LibTorch has build-version beside lib/.
std::string versionOf(const fs::path& folder) {
    if (std::ifstream file(folder / "version.py"); file) {
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        std::smatch match;
        if (std::regex_search(text, match, std::regex("__version__ = '([^']*)'"))) return match[1];
    }
    std::string line;
    if (std::ifstream file(folder / "build-version"); file) std::getline(file, line);
    return line;
}

LibTorchCandidate examine(std::string origin, const fs::path& folder) {
    LibTorchCandidate candidate{std::move(origin), folder.lexically_normal().string(), "", ""};
    if (folder.empty()) {
        candidate.problem = "missing";
    } else if (!fs::exists(folder / "lib" / "libtorch_cpu.so")) {
        candidate.problem = "no lib/libtorch_cpu.so";
    } else {
        candidate.version = versionOf(folder);
        if (!candidate.version.empty() && candidate.version.rfind(std::string(kTorchVersion) + ".", 0) != 0)
            candidate.problem = fmt::format("version {} instead of {}", candidate.version, kTorchVersion);
    }
    return candidate;
}

/// Appends a candidate; true when the search is over.
bool tryCandidate(EngineReport& report, const LibTorchCandidate& candidate) {
    report.searched.push_back(candidate);
    if (!candidate.problem.empty()) return false;
    report.libTorch = candidate.folder;
    report.libTorchVersion = candidate.version;
    return true;
}

/// Whether a folder belongs to the user, to root or to whom the program belongs; false if it is not there.
bool isTrusted(const fs::path& folder, const fs::path& program) {
    struct stat status {};
    struct stat ofProgram {};
    if (stat(folder.c_str(), &status) != 0 || stat(program.c_str(), &ofProgram) != 0) return false;
    return status.st_uid == 0 || status.st_uid == getuid() || status.st_uid == ofProgram.st_uid;
}

/// .deps is in the source tree, which contains the build tree: searches upwards from the program. Higher up may lie folders in
/// which everybody can write, such as /tmp.
fs::path depsAbove(const fs::path& program) {
    fs::path folder = program;
    for (int level = 0; level < 6; ++level, folder = folder.parent_path()) {
        fs::path torch = folder / ".deps" / "torch-2.11.0" / "torch";
        if (isTrusted(folder / ".deps", program) && fs::exists(torch)) return torch;
        if (folder == folder.parent_path()) break;
    }
    return {};
}

bool isBelow(const fs::path& folder, const fs::path& above) {
    const fs::path relative = folder.lexically_relative(above);
    return !relative.empty() && *relative.begin() != "..";
}

/// Whether whoever wrote the current folder, and not who installed the program, decides what lies in `folder`.
bool isOfCurrentFolder(const fs::path& folder) {
    std::error_code failed;
    const fs::path current = fs::current_path(failed);
    if (failed) return false;
    return isBelow(fs::weakly_canonical(folder, failed), current) && !isBelow(programFolder(), current);
}

LibTorchCandidate examinePython(const std::string& folder) {
    if (isOfCurrentFolder(folder)) return {"python3", folder, "", "it lies in the current folder; HEDDLE_LIBTORCH can name it"};
    return examine("python3", folder);
}

void findLibTorch(EngineReport& report) {
    const fs::path program = programFolder();
    if (const std::string requested = environment("HEDDLE_LIBTORCH"); !requested.empty()) {
        tryCandidate(report, examine("HEDDLE_LIBTORCH", requested));
        return;
    }
    for (const char* place : {"../lib/heddle/torch", "../lib/torch"})
        if (tryCandidate(report, examine("install tree", program / place))) return;
    if (tryCandidate(report, examine(".deps", depsAbove(program)))) return;
    if (tryCandidate(report, examine("heddle setup", fs::path(ownWheelsFolder()) / "torch"))) return;
    const PythonTorch python = pythonTorch();
    if (python.folder.empty())
        report.searched.push_back({"python3", "", "", python.problem});
    else
        tryCandidate(report, examinePython(python.folder));
}

std::string findEngineLibrary() {
    const fs::path program = programFolder();
    for (const char* place : {"../lib/heddle", "../lib", "."})
        if (const fs::path file = program / place / kEngineLibrary; fs::exists(file)) return file.lexically_normal().string();
    return {};
}

std::string lastError() {
    const char* text = dlerror();
    return text ? text : "unknown reason";
}

/// RTLD_GLOBAL: the engine and libtorch's own parts find each other's symbols in the global scope.
void* openLibrary(const std::string& file) {
    void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!handle) throw Error(ErrorCode::Failure, "cannot load a library: " + lastError(), file, "run heddle doctor");
    return handle;
}

/// Only where a driver is present; the CPU path must not depend on 2 GB of CUDA libraries. Must precede the first torch call
/// that queries CUDA, since torch looks up its hooks only once. Failure leaves the CPU usable and is reported by devices().
void openCuda(const fs::path& lib) {
    if (!dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL)) return;
    for (const char* name : {"libc10_cuda.so", "libtorch_cuda.so"})
        if (!dlopen((lib / name).c_str(), RTLD_NOW | RTLD_GLOBAL)) return;
}

std::shared_ptr<Engine> openEngine() {
    const EngineReport report = inspectEngine();
    if (!report.problem.empty()) throw Error(ErrorCode::Failure, report.problem, searchedList(report), report.next);

    // Workers of libgomp spin before they sleep. On a machine with other load the default (300,000 iterations) costs more time
    // than the training itself. 2,000 iterations are as fast on idle processors, and beside one busy program a step of the
    // sample takes half the time of 20,000. Read once, when the library is loaded.
    setenv("GOMP_SPINCOUNT", "2000", 0);
    const fs::path lib = fs::path(report.libTorch) / "lib";
    openLibrary(lib / "libc10.so");
    openLibrary(lib / "libtorch_cpu.so");
    openCuda(lib);
    return openEngineLibrary(report.engineLibrary);
}

}  // namespace

PythonTorch pythonTorch() {
    ChildOptions options;
    options.timeout = kPythonTimeout;
    ChildResult answer;
    try {
        answer = runChild({"python3", "-I", "-c", kWhereIsTorch}, options);
    } catch (const Error&) {
        return {"", "there is no python3 on PATH"};
    }
    if (answer.code != 0) return {"", "python3 gave no answer"};
    while (!answer.out.empty() && (answer.out.back() == '\n' || answer.out.back() == '\r')) answer.out.pop_back();
    if (answer.out.empty()) return {"", "it has no package torch"};
    return {answer.out, ""};
}

std::shared_ptr<Engine> openEngineLibrary(const std::string& file) {
    void* library = openLibrary(file);
    const auto create = reinterpret_cast<CreateEngineFunction>(dlsym(library, "heddleCreateEngine"));
    if (!create) throw Error(ErrorCode::Failure, "the engine library exports no factory", file, "rebuild Heddle");
    std::shared_ptr<Engine> made(create(engineIdentity()));
    if (!made)
        throw Error(
            ErrorCode::Failure,
            fmt::format("the engine library belongs to another build of Heddle than this program ({:016x})", engineIdentity()),
            file, "install program and library of one build; in a source tree: packaging/build.sh");
    return made;
}

std::string searchedList(const EngineReport& report) {
    std::string list;
    for (const auto& c : report.searched)
        list += fmt::format("{}{}{}: {}", list.empty() ? "" : "; ", c.origin, c.folder.empty() ? "" : " " + c.folder,
                            c.problem.empty() ? "usable" : c.problem);
    return list;
}

std::string ownWheelsFolder() { return defaultDataFolder() + "/torch-2.11.0"; }

EngineReport inspectEngine() {
    EngineReport report;
    findLibTorch(report);
    report.engineLibrary = findEngineLibrary();
    // Detects the driver by loading it, since its location differs between distributions and containers.
    report.driver = dlopen("libcuda.so.1", RTLD_LAZY) ? "found" : "no NVIDIA driver (libcuda.so.1)";
    if (report.libTorch.empty()) {
        report.problem = fmt::format("LibTorch {} was not found", kTorchVersion);
        report.next = kAdvice;
    } else if (report.engineLibrary.empty()) {
        report.problem =
            fmt::format("{} is neither in ../lib/heddle or ../lib nor in the folder of the program", kEngineLibrary);
        report.next = "build the target heddle_engine, or reinstall Heddle";
    }
    return report;
}

std::shared_ptr<Engine> loadEngine() {
    // Never unloaded: LibTorch does not survive dlclose, and its threads may still run. Leaked on purpose, so that no
    // destructor of ours runs after LibTorch's.
    static std::mutex mutex;
    static auto* loaded = new std::shared_ptr<Engine>;
    const std::lock_guard lock(mutex);
    if (!*loaded) *loaded = openEngine();
    return *loaded;
}

}  // namespace heddle::app
