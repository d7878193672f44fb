// SPDX-License-Identifier: GPL-3.0-or-later
// The report of a study on paper.
#pragma once

#include "app/study/report.h"

#include <QByteArray>

namespace heddle::ui {

/// A4 pages with the verdicts, the table, the figures, the checks and what was not done. On any thread.
QByteArray reportPdf(const app::StudyReport& report);

}  // namespace heddle::ui
