// SPDX-License-Identifier: Apache-2.0
#include "app/session/process/time_step.h"

#include "app/session/process/child_process.h"
#include "app/session/process/paths.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json.h"
#include "engine/base/temporary_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

namespace heddle::app {
namespace {

/// The document that `heddle COMMAND… FILE OPTIONS… --json` prints for the run spec, with the lowest priority.
Json ask(const std::vector<std::string>& command, const Json& run, const std::vector<std::string>& options,
         const std::function<bool()>& stopRequested) {
    const TemporaryFolder folder;
    const std::string file = folder / "run.json";
    writeFileAtomically(file, run.dump());
    std::vector<std::string> words{programFolder() + "/heddle"};
    words.insert(words.end(), command.begin(), command.end());
    words.push_back(file);
    words.insert(words.end(), options.begin(), options.end());
    words.emplace_back("--json");
    ChildOptions how;
    how.stopRequested = stopRequested;
    how.hasLowestPriority = true;
    const ChildResult child = runChild(words, how);
    const std::string place = fmt::format("{}", fmt::join(command, " "));
    if (stopRequested && stopRequested()) throw Error(ErrorCode::Failure, "the measurement was cancelled", place, "");
    Json printed = Json::parse(child.out, nullptr, false);
    if (child.code == 0 && printed.is_object()) return printed;
    const bool isError = printed.is_object() && printed.contains("what");
    throw Error(ErrorCode::Failure, isError ? printed.at("what").get<std::string>() : child.last, place,
                isError ? printed.value("next", "") : "");
}

}  // namespace

StepTiming timeStep(const Json& run, const std::function<bool()>& stopRequested) {
    const Json row = ask({"bench", "step"}, run, {"--repeats", "2"}, stopRequested).at("row");
    return {row.at("step_ms").get<double>() / 1e3, row.at("step_ms_min").get<double>() / 1e3,
            row.at("step_ms_max").get<double>() / 1e3};
}

std::int64_t countSteps(const Json& run, const std::function<bool()>& stopRequested) {
    const Json steps = ask({"train"}, run, {"--dry-run"}, stopRequested).at("steps");
    return steps.is_number_integer() ? steps.get<std::int64_t>() : 0;
}

}  // namespace heddle::app
