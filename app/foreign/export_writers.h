// SPDX-License-Identifier: Apache-2.0
// The functions that write one format each. exportRuns() calls them.
#pragma once

#include "app/foreign/export_runs.h"
#include "app/foreign/export_text.h"

#include <string>
#include <vector>

namespace heddle::app {

/// What a writer gets. It writes to `place`, where nothing exists yet, and calls next() after each run. next() throws
/// Error("stopped") if the user stops the export.
struct WrittenExport {
    storage::RunQuery& query;
    const RunExport& wanted;
    const ExportPlace& place;

    void next() const;
};

// They return notes for the user.
std::vector<std::string> writeCsv(const WrittenExport& written);
std::vector<std::string> writeJsonLines(const WrittenExport& written);
std::vector<std::string> writeTensorBoard(const WrittenExport& written);
std::vector<std::string> writeOptuna(const WrittenExport& written);

}  // namespace heddle::app
