// SPDX-License-Identifier: Apache-2.0
#include "app/cli/train_planned.h"

#include "app/cli/follow.h"
#include "app/cli/spec_source.h"
#include "engine/base/error.h"
#include "engine/base/printable.h"
#include "storage/run_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <utility>

namespace heddle::app {

void requireUsable(const std::vector<PlannedRun>& planned) {
    for (const PlannedRun& run : planned)
        if (!run.isDone()) requireUsable(run.spec);
}

void requireNoOtherOwner(const std::vector<PlannedRun>& planned, const std::string& database) {
    const auto taken = std::find_if(planned.begin(), planned.end(), [](const auto& run) { return run.isUnfinished(); });
    if (taken == planned.end() || storage::currentOwner(database).empty()) return;
    throw Error(ErrorCode::Failure, "another process trains a run of this plan or has it in its queue", taken->id,
                "wait for it, or stop it there");
}

int trainRuns(std::vector<PlannedRun*> due, const std::string& command, const std::string& group, const Context& context) {
    context.engine();  // fails before a run is created that could not be trained
    std::erase_if(due, [](const PlannedRun* run) { return run->isDone(); });
    const RunLabels labels{group, {}};
    std::size_t next = 0;
    return followRuns(context, openSession(context, command, ""), [&](RunSession& session) -> std::optional<std::string> {
        if (next == due.size()) return std::nullopt;
        PlannedRun& run = *due[next++];
        context.err << fmt::format("{} of {}: {}, seed {}\n", next, due.size(), printable(run.spec.name), run.spec.seed);
        if (run.id.empty()) return run.id = session.submit(run.spec, labels);
        session.resume(run.id);
        return run.id;
    });
}

}  // namespace heddle::app
