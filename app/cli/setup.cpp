// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/session/process/child_process.h"
#include "app/session/process/engine_loader.h"
#include "app/session/process/paths.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/base/resources.h"
#include "engine/run/engine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>

#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace heddle::app {
namespace {

struct SetupOptions {
    std::string from;
    bool cuda = false, cpu = false;
};

/// Whether a LibTorch has its part for CUDA; the libraries that this part needs are not asked for.
bool isForCuda(const std::string& libTorch) { return std::filesystem::exists(libTorch + "/lib/libtorch_cuda.so"); }

/// Whether the LibTorch that was found will do. What `heddle setup` fetched is looked at again, file by file. Python's is
/// enough for CUDA if NVIDIA's libraries lie beside it, as pip puts them.
bool isEnough(const EngineReport& report, bool wantsCuda) {
    if (report.libTorch.empty() || report.searched.back().origin == "heddle setup") return false;
    return !wantsCuda || report.searched.back().origin != "python3" ||
           (isForCuda(report.libTorch) && std::filesystem::exists(report.libTorch + "/../nvidia/cu13/lib/libcublas.so.13"));
}

/// An explicit setting is never ignored silently: with HEDDLE_LIBTORCH nothing that setup could fetch would be used.
void checkNamed(const EngineReport& report, const SetupOptions& options) {
    const std::string named = environment("HEDDLE_LIBTORCH");
    if (named.empty()) return;
    if (report.libTorch.empty())
        throw Error(ErrorCode::Usage, "HEDDLE_LIBTORCH is set, and cannot be used: " + report.searched.back().problem, named,
                    "correct or unset it");
    if (options.cuda && !isForCuda(named))
        throw Error(ErrorCode::Usage, "HEDDLE_LIBTORCH is set, and names a LibTorch without CUDA", named,
                    "correct or unset it");
}

/// Lets resources/setup/wheels.py fetch, check and unpack. Returns the names of the wheels that were not there.
std::vector<std::string> fetch(const std::string& from, bool wantsCuda) {
    utsname machine{};
    uname(&machine);
    if (std::string(machine.machine) != "x86_64")
        throw Error(ErrorCode::Failure, fmt::format("the pinned wheels are for x86-64, not {}", machine.machine),
                    "heddle setup", "set HEDDLE_LIBTORCH to the 'torch' folder of a Python that has torch 2.11");
    std::vector<std::string> words{"python3", "-I", resourcePath("setup/wheels.py"), ownWheelsFolder(),
                                   resourcePath("setup/libtorch.txt")};
    if (wantsCuda) words.push_back(resourcePath("setup/libtorch-cuda.txt"));
    words.emplace_back("--json");
    if (!from.empty()) words.insert(words.end(), {"--from", from});
    ChildOptions options;
    options.showsErrors = true;
    const ChildResult child = runChild(words, options);
    const Json answer = Json::parse(child.out, nullptr, false);
    if (child.code == 0 && answer.is_object()) return answer.at("fetched").get<std::vector<std::string>>();
    if (!answer.is_object() || !answer.contains("what"))
        throw Error(ErrorCode::Failure, fmt::format("python3 ended with {}", child.code), words[2],
                    "start again; what is complete stays");
    throw Error(ErrorCode::Failure, answer.at("what").get<std::string>(), answer.value("where", ""), answer.value("next", ""));
}

int setup(const SetupOptions& options, const Context& context) {
    EngineReport report = inspectEngine();
    checkNamed(report, options);
    const bool isNamed = !environment("HEDDLE_LIBTORCH").empty();
    const bool wantsCuda = options.cuda || (!options.cpu && report.driver == "found");
    std::vector<std::string> fetched;
    if (!isNamed && !isEnough(report, wantsCuda)) {
        fetched = fetch(options.from, wantsCuda);
        report = inspectEngine();
    }
    const std::string version = context.engine()->torchVersion();  // that it loads is the proof
    const std::string origin = report.searched.back().origin;
    const std::string done = fetched.empty() ? "nothing to do" : fmt::format("fetched {}", fmt::join(fetched, ", "));
    context.print({{"schema", "heddle.setup/1"},
                   {"libtorch", report.libTorch},
                   {"version", version},
                   {"origin", origin},
                   {"fetched", fetched}},
                  fmt::format("LibTorch {} is in {} ({}); {}\n", version, printable(report.libTorch), origin, done));
    return 0;
}

}  // namespace

void addSetup(CommandBuilder& root) {
    auto o = std::make_shared<SetupOptions>();
    root.command("setup", "Fetch LibTorch, with which Heddle computes, into this user's data folder")
        .option("--from", o->from, "FOLDER", "Take the wheels from this folder, on a machine without a network")
        .flag("--cuda", o->cuda, "Also NVIDIA's libraries; the default where there is a driver")
        .flag("--cpu", o->cpu, "Only what a processor needs, also where there is a driver")
        .excludes("--cuda", "--cpu")
        .examples("heddle setup\nheddle setup --cpu\nheddle setup --from /media/stick/wheels")
        .action([o](Context& context) { return setup(*o, context); });
}

}  // namespace heddle::app
