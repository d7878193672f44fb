// SPDX-License-Identifier: GPL-3.0-or-later
// The dialogs that ask for a run database.
#pragma once

#include <QString>

class QFileDialog;
class QWidget;

namespace heddle::ui {

class Studio;

/// Existing: an existing database instead of those that are open. Create: the same, created if it is missing. Beside: an
/// existing database in addition to those that are open.
enum class DatabaseDialog { Existing, Create, Beside };
/// Asks for a database and opens it.
void openDatabaseDialog(Studio& studio, DatabaseDialog kind, QWidget* parent);
/// A dialog for an existing database, which is not opened yet; it begins in `folder`.
QFileDialog* makeDatabaseDialog(const QString& title, const QString& folder, QWidget* parent);

}  // namespace heddle::ui
