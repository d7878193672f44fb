// SPDX-License-Identifier: Apache-2.0
#include "app/session/time_step.h"

#include "app/session/child_process.h"
#include "app/session/paths.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/temporary_folder.h"

namespace heddle::app {

StepTiming timeStep(const Json& run, const std::function<bool()>& stopRequested) {
    const TemporaryFolder folder;
    const std::string file = folder / "step.json";
    writeFileAtomically(file, run.dump());
    ChildOptions options;
    options.stopRequested = stopRequested;
    options.hasLowestPriority = true;
    const ChildResult child =
        runChild({programFolder() + "/heddle", "bench", "step", file, "--repeats", "2", "--json"}, options);
    if (stopRequested && stopRequested()) throw Error(ErrorCode::Failure, "the measurement was cancelled", "bench step", "");
    const Json printed = Json::parse(child.out, nullptr, false);
    if (child.code != 0 || !printed.is_object() || !printed.contains("row")) {
        const bool isError = printed.is_object() && printed.contains("what");
        throw Error(ErrorCode::Failure, isError ? printed.at("what").get<std::string>() : child.last, "bench step",
                    isError ? printed.value("next", "") : "");
    }
    const Json& row = printed.at("row");
    return {row.at("step_ms").get<double>() / 1e3, row.at("step_ms_min").get<double>() / 1e3,
            row.at("step_ms_max").get<double>() / 1e3};
}

}  // namespace heddle::app
