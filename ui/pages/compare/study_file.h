// SPDX-License-Identifier: GPL-3.0-or-later
// A study that somebody wrote as a file, asked of the current database.
#pragma once

#include "ui/data/study_comparer.h"

class QWidget;

namespace heddle::ui {

/// Asks for a file (heddle.study/1), records its question in the current database and chooses it in `comparer`. All three must
/// outlive the dialog, which belongs to `page`.
void openStudyFile(Studio& studio, StudyComparer& comparer, QWidget* page);

}  // namespace heddle::ui
