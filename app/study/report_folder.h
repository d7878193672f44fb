// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/study/report.h"

#include <map>
#include <string>

namespace heddle::app {

/// The report as one page that needs nothing else: no script, no font or picture from outside; light or dark as the reader
/// prefers, and printable. Every text of the study is escaped.
std::string reportHtml(const StudyReport& report);

/// The files of a report by their paths in its folder: report.html, table.md, table.tex, table.csv, runs.csv, figures/….svg,
/// study.json and specs/ROW-SEED.json to repeat it, and report.json, which lists them.
std::map<std::string, std::string> reportFiles(const StudyReport& report);

/// Writes the files, all or none, to a folder that is new, empty or has an older report, which they replace. Throws
/// Error(InvalidInput) where it holds anything else, naming it, and Error(Failure) where it cannot be written. Returns the path
/// of report.html.
std::string writeReport(const StudyReport& report, const std::string& folder);

/// Throws Error(InvalidInput) where writeReport() would refuse the folder: asked before anything is trained.
void requireReportFolder(const std::string& folder);

}  // namespace heddle::app
