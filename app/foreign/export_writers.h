// SPDX-License-Identifier: Apache-2.0
// What exportRuns() calls: one function a format, which writes to a place that is not there yet.
#pragma once

#include "app/foreign/export_runs.h"
#include "app/foreign/export_text.h"

#include <string>
#include <vector>

namespace heddle::app {

/// What one writer gets. Its next() tells when a run is written, and throws Error("stopped") where the user stops the export.
struct WrittenExport {
    storage::RunQuery& query;
    const RunExport& wanted;
    const ExportPlace& place;
    std::size_t done = 0;

    void next();
};

// Each returns what the user should know.
std::vector<std::string> writeCsv(WrittenExport& written);
std::vector<std::string> writeJsonLines(WrittenExport& written);
std::vector<std::string> writeTensorBoard(WrittenExport& written);
std::vector<std::string> writeOptuna(WrittenExport& written);

}  // namespace heddle::app
