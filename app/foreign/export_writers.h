// SPDX-License-Identifier: Apache-2.0
// The writer of each format, which exportRuns() calls.
#pragma once

#include "app/foreign/export_runs.h"
#include "app/foreign/export_text.h"

#include <string>
#include <vector>

namespace heddle::app {

/// What a writer gets. The writer creates `place`, and calls next() after each run, which throws Error("stopped") where the
/// user stops the export.
struct WrittenExport {
    storage::RunQuery& query;
    const RunExport& wanted;
    const ExportPlace& place;

    void next() const;
};

// They return what the user should know.
std::vector<std::string> writeCsv(const WrittenExport& written);
std::vector<std::string> writeJsonLines(const WrittenExport& written);
std::vector<std::string> writeTensorBoard(const WrittenExport& written);
std::vector<std::string> writeOptuna(const WrittenExport& written);

}  // namespace heddle::app
