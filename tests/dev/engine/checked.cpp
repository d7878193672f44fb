// SPDX-License-Identifier: Apache-2.0
#include "tests/dev/engine/checked.h"

#include "engine/library/torch_errors.h"
#include "tests/dev/engine/properties.h"

namespace heddle::dev {

std::vector<VerifyCheck> checkedVerify(const VerifyRequest& request) {
    return translatingErrors("verify", [&] { return runChecks(request, verify::properties()); });
}

TrainBenchRow checkedBench(const TrainBenchRequest& request, const std::vector<Batch>& batches) {
    return translatingErrors("bench " + request.workload.name, [&] { return runTrainBench(request, batches); });
}

LaunchCounts checkedCount(const LaunchCountRequest& request) {
    return translatingErrors("bench " + request.workload.name, [&] { return runLaunchCount(request); });
}

}  // namespace heddle::dev
