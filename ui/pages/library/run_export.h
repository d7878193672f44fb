// SPDX-License-Identifier: GPL-3.0-or-later
// A run as files that other programs read.
#pragma once

#include <QString>

#include <string>

namespace heddle::ui {

/// Writes NAME-ID/ below `folder`: run.json (everything but the values), evaluations.tsv and curves.tsv (name, path, attempt,
/// step, value; C locale, shortest exact digits). Call it on a pool thread; it opens its own connection. Returns the folder;
/// throws StorageError or std::runtime_error.
QString exportRun(const QString& database, const std::string& run, const QString& folder);

}  // namespace heddle::ui
