// SPDX-License-Identifier: GPL-3.0-or-later
// Checks a whole database: SQLite, every record, every checkpoint file.
#pragma once

#include "ui/threads/task.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>

namespace heddle::ui {

/// The result of the last check.
struct VerifiedFacts {
    double at = 0;  ///< Unix time; 0: never
    std::int64_t records = 0, damaged = 0, files = 0, wrongFiles = 0;
    QStringList problems;
};

/// Call it on a pool thread: its time grows with the files. Empty if it was cancelled. Throws StorageError.
std::optional<VerifiedFacts> verify(const QString& file, const TaskControl& task);

}  // namespace heddle::ui
