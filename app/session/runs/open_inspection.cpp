// SPDX-License-Identifier: Apache-2.0
#include "app/session/runs/open_inspection.h"

#include "app/session/process/paths.h"

namespace heddle::app {

std::unique_ptr<InspectionSession> openInspection(Engine& engine, const ChosenCheckpoint& checkpoint, const std::string& device,
                                                  const std::function<bool()>& stopRequested) {
    InspectionRequest request;
    request.spec = readRunSpec(checkpoint);
    request.runFolder = checkpoint.runFolder();
    request.checkpointFolder = checkpoint.folder();
    request.cacheFolder = defaultCacheFolder();
    request.device = device;
    request.stopRequested = stopRequested;
    return engine.openInspection(request);
}

}  // namespace heddle::app
