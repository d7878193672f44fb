// SPDX-License-Identifier: Apache-2.0
#include "app/launch/planned_sweep.h"

#include "app/launch/plan_starts.h"
#include "app/study/usable_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace heddle::app {

namespace fs = std::filesystem;

PlannedSweep::PlannedSweep(std::vector<PlannedRun> planned, Place place)
    : place_(std::move(place)), planned_(std::move(planned)) {
    refresh();
}

int PlannedSweep::train(Launcher& launcher, const std::string& group) {
    requireUsable(planned_);
    launcher.require(planned_);
    int code = 0;
    do {
        std::vector<PlannedRun*> due;
        for (PlannedRun& run : planned_)
            if (!run.wasBegun) due.push_back(&run);
        code = launcher.train(due, group);
        refresh();
    } while (code == 0 && isAnyReady());
    if (code == 0) tellWaiting();
    return code;
}

bool PlannedSweep::isWhole() const {
    return std::all_of(planned_.begin(), planned_.end(), [](const auto& run) { return run.isDone(); });
}

void PlannedSweep::refresh() {
    const auto query = fs::exists(place_.database) ? place_.open() : nullptr;
    findPlanned(planned_, query.get(), place_.database);
}

bool PlannedSweep::isAnyReady() const {
    return std::any_of(planned_.begin(), planned_.end(),
                       [](const auto& run) { return !run.isDone() && !run.waitsForStart() && !run.wasBegun; });
}

void PlannedSweep::tellWaiting() const {
    for (const PlannedRun& run : planned_)
        if (run.waitsForStart() && !run.wasBegun)
            place_.say(fmt::format("{} was not trained: {}", run.title(), whyWaiting(run, planned_)));
}

std::string groupOfSweep(const std::string& planFile) { return "sweep/" + fs::path(planFile).stem().string(); }

}  // namespace heddle::app
