// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/reports/reproduction_table.h"

#include <string>

namespace heddle::app {

/// The cells of a table row for text and Markdown.
struct CellTexts {
    std::string published, measured, n, difference, note;
};
CellTexts cellTexts(const PublishedColumn& column, const ReproductionLine& line);

/// "BLEU – teacher-forced".
std::string blockTitle(const ReproductionBlock& block);

/// Whether no cell is measured, all for the same reason.
bool isIdle(const ReproductionBlock& block);

/// "runs: 4 done, 2 to run; tag reproduce:…", or empty.
std::string runsLine(const Reproduction& reproduction);

}  // namespace heddle::app
