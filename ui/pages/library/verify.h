// SPDX-License-Identifier: GPL-3.0-or-later
// The check of a whole database: SQLite, every record, every checkpoint file.
#pragma once

#include "ui/pages/library/details_panel.h"

#include <atomic>

namespace heddle::ui {

/// Shared between the GUI and the pool thread that checks.
struct VerifyJob {
    std::atomic<bool> cancelled = false;
    std::atomic<int> done = 0, total = 0;
};

/// For a pool thread, since its time grows with the files. Empty if it was cancelled. Throws StorageError.
std::optional<VerifiedFacts> verify(const QString& file, VerifyJob& job);

}  // namespace heddle::ui
