// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/reports/reproduction_table.h"

#include <string>

namespace heddle::app {

/// "heddle.reproduction/1": printed and measured numbers, remarks, runs, data files found and missing.
Json reproductionDocument(const Reproduction& reproduction, const ReproductionTable& table);

/// The table for people, lines at most 120 columns wide. In a quick version every line says so.
std::string reproductionText(const Reproduction& reproduction, const ReproductionTable& table);

/// The same as a Markdown document.
std::string reproductionMarkdown(const Reproduction& reproduction, const ReproductionTable& table);

/// What would be run and read, for --dry-run.
std::string reproductionPlanText(const Reproduction& reproduction);

/// Where each missing file is to be put and to be got, a line a file.
std::string missingText(const Reproduction& reproduction);

}  // namespace heddle::app
