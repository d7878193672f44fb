// SPDX-License-Identifier: Apache-2.0
#include "app/session/process/data_preview.h"

#include "engine/data/inspect/inspect.h"

namespace heddle::app {

std::string previewData(const std::vector<std::string>& files, const std::function<bool()>& stopRequested) {
    InspectOptions options;
    options.stopRequested = stopRequested;
    return inspectText(inspectFiles(files, options));
}

}  // namespace heddle::app
