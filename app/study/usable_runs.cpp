// SPDX-License-Identifier: Apache-2.0
#include "app/study/usable_runs.h"

#include "engine/base/error.h"
#include "engine/spec/data_files.h"
#include "engine/spec/task_kinds.h"

#include <fmt/format.h>

#include <regex>

namespace heddle::app {

void requireUsable(const RunSpec& spec) {
    throwIfNotTrainable(spec);
    static const std::regex kDevice("auto|cpu|cuda(:[0-9]{1,3})?");
    if (!std::regex_match(spec.train.device, kDevice))
        throwInvalid(fmt::format("unknown device \"{}\"", spec.train.device), "train.device", "use auto, cpu, cuda or cuda:N");
    requireDataFiles(spec.data);
}

void requireUsable(const std::vector<PlannedRun>& planned) {
    for (const PlannedRun& run : planned)
        if (!run.isDone()) requireUsable(run.spec);
}

}  // namespace heddle::app
