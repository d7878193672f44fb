// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/reports/reproduction_table.h"

#include <string>

namespace heddle::app {

/// "heddle.reproduction/1": printed and measured numbers, remarks, runs, data files found and missing.
Json reproductionDocument(const Reproduction& reproduction, const ReproductionTable& table);

/// The table as text, at most 120 columns wide. Every line of a quick version says so.
std::string reproductionText(const Reproduction& reproduction, const ReproductionTable& table);

/// The same as a Markdown document.
std::string reproductionMarkdown(const Reproduction& reproduction, const ReproductionTable& table);

/// The plan for --dry-run: runs and files.
std::string reproductionPlanText(const Reproduction& reproduction);

/// Where to get and to put each missing file, one line per file.
std::string missingText(const Reproduction& reproduction);

/// The cells of a table row for text and Markdown.
struct CellTexts {
    std::string published, measured, n, difference, note;
};
CellTexts cellTexts(const PublishedColumn& column, const ReproductionLine& line);

/// Returns the title of a block, for example "BLEU – teacher-forced".
std::string blockTitle(const ReproductionBlock& block);

/// Returns whether no cell of the block is measured, all for the same reason.
bool isIdle(const ReproductionBlock& block);

/// Returns "runs: 4 done, 2 to run; tag reproduce:…", or an empty text.
std::string runsLine(const Reproduction& reproduction);

}  // namespace heddle::app
