// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/session/process/engine_loader.h"
#include "app/session/process/errors.h"
#include "app/session/process/paths.h"
#include "engine/base/resources.h"

#include <fmt/format.h>

#include <fstream>
#include <ostream>
#include <thread>

namespace heddle::app {
namespace {

std::string processorName() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
    return "unknown";
}

/// One line of the report; with advice if something required for training is missing.
struct Finding {
    std::string what, found, problem, next;
    Json document() const { return {{"what", what}, {"found", found}, {"problem", problem}, {"next", next}}; }
};

Finding resources() {
    try {
        return {"resources", resourcePath("presets"), "", ""};
    } catch (const Error& error) {
        return {"resources", "", error.problem() + " (" + error.where() + ")", error.next()};
    }
}

std::vector<Finding> engineFindings(const EngineReport& report) {
    std::vector<Finding> findings;
    findings.push_back({"searched for LibTorch", searchedList(report), "", ""});
    if (report.libTorch.empty())
        findings.push_back({"LibTorch", "", report.problem, report.next});
    else if (report.libTorchVersion.empty())
        findings.push_back({"LibTorch", report.libTorch, "", ""});
    else
        findings.push_back({"LibTorch", fmt::format("{} ({})", report.libTorch, report.libTorchVersion), "", ""});
    const bool noLibrary = report.engineLibrary.empty();
    findings.push_back({"engine library", report.engineLibrary, noLibrary ? "libheddle_engine.so was not found" : "",
                        noLibrary ? "build the target heddle_engine, or reinstall Heddle" : ""});
    findings.push_back({"NVIDIA driver", report.driver, "", ""});
    if (!report.problem.empty()) return findings;
    try {
        const auto engine = loadEngine();
        findings.push_back({"engine", "loaded, torch " + engine->torchVersion(), "", ""});
        for (const auto& device : engine->devices())
            findings.push_back({"device " + device.id, fmt::format("{}, {} MiB", device.name, device.bytes >> 20), "", ""});
    } catch (...) {
        const Error error = asError(std::current_exception(), "engine");
        findings.push_back({"engine", "", error.problem() + " (" + error.where() + ")", error.next()});
    }
    return findings;
}

int doctor(const Context& context) {
    std::vector<Finding> findings{
        {"program", fmt::format("heddle {} in {}", HEDDLE_VERSION, programFolder()), "", ""},
        {"processor", fmt::format("{}, {} threads", processorName(), std::thread::hardware_concurrency()), "", ""},
        {"cache folder", defaultCacheFolder(), "", ""},
        resources()};
    for (auto& finding : engineFindings(inspectEngine())) findings.push_back(std::move(finding));

    Json all = Json::array();
    bool ready = true;
    std::string text;
    for (const auto& f : findings) {
        ready = ready && f.problem.empty();
        all.push_back(f.document());
        if (f.problem.empty())
            text += fmt::format("ok       {}: {}\n", f.what, f.found);
        else
            text += fmt::format("MISSING  {}: {}\n         what to do: {}\n", f.what, f.problem, f.next);
    }
    text += ready ? "Training is possible.\n" : "Training is not possible yet.\n";
    context.print({{"schema", "heddle.doctor/1"}, {"ready", ready}, {"findings", all}}, text);
    return ready ? 0 : 1;
}

}  // namespace

void addDoctor(CommandBuilder& root) {
    root.command("doctor", "Say what was found, what is missing, and what to do")
        .examples("heddle doctor\nHEDDLE_LIBTORCH=/opt/venv/lib/python3.11/site-packages/torch heddle doctor")
        .action([](Context& context) { return doctor(context); });
}

}  // namespace heddle::app
