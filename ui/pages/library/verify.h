// SPDX-License-Identifier: GPL-3.0-or-later
// Checks a whole database: SQLite, every record, every checkpoint file.
#pragma once

#include <QString>
#include <QStringList>

#include <atomic>
#include <cstdint>
#include <optional>

namespace heddle::ui {

/// The result of the last check.
struct VerifiedFacts {
    double at = 0;  ///< Unix time; 0: never
    std::int64_t records = 0, damaged = 0, files = 0, wrongFiles = 0;
    QStringList problems;
};

/// Shared between the GUI and the pool thread that checks.
struct VerifyJob {
    std::atomic<bool> cancelled = false;
    std::atomic<int> done = 0, total = 0;
};

/// Call it on a pool thread: its time grows with the files. Empty if it was cancelled. Throws StorageError.
std::optional<VerifiedFacts> verify(const QString& file, VerifyJob& job);

}  // namespace heddle::ui
