// SPDX-License-Identifier: GPL-3.0-or-later
// The run table as text for spreadsheets and scripts: C locale, full digits, every metric with its step, n and signature.
#pragma once

#include "ui/pages/compare/arrangement.h"

namespace heddle::ui {

/// A header line and one line for each of `runs`, in their order.
QString runsTsv(const std::vector<RunPointer>& runs, const std::vector<Column>& columns);
/// Every run that is shown, in the order of the table.
std::vector<RunPointer> runsOf(const Arrangement& arrangement);

}  // namespace heddle::ui
