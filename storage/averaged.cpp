// SPDX-License-Identifier: Apache-2.0
#include "storage/averaged.h"

#include "storage/run_query.h"

#include <algorithm>
#include <set>

namespace heddle::storage {

std::vector<std::int64_t> newestSteps(const std::vector<CheckpointRecord>& checkpoints, std::int64_t count) {
    std::set<std::int64_t> found;
    for (const auto& one : checkpoints)
        if ((one.kind == "step" || one.kind == "last") && one.step > 0) found.insert(one.step);
    std::vector<std::int64_t> steps(found.begin(), found.end());
    steps.erase(steps.begin(), steps.end() - std::clamp<std::int64_t>(count, 0, std::ssize(steps)));
    return steps;
}

bool areRewritten(const std::vector<std::int64_t>& steps, const std::vector<CheckpointRecord>& checkpoints,
                  std::int64_t attempt) {
    return std::any_of(checkpoints.begin(), checkpoints.end(), [&](const CheckpointRecord& one) {
        return !isAverage(one.kind) && one.attempt > attempt && std::find(steps.begin(), steps.end(), one.step) != steps.end();
    });
}

bool isAverageEvaluated(RunQuery& query, const std::string& run, const std::string& split, std::int64_t count) {
    const std::vector<CheckpointRecord> checkpoints = query.checkpoints(run);
    const std::vector<std::int64_t> steps = newestSteps(checkpoints, count);
    const std::vector<EvaluationRecord> recorded = query.evaluations(run);
    return std::any_of(recorded.begin(), recorded.end(), [&](const EvaluationRecord& one) {
        return one.split == split && (steps.empty() || one.step >= steps.back()) &&
               !areRewritten(steps, checkpoints, one.attempt);
    });
}

}  // namespace heddle::storage
