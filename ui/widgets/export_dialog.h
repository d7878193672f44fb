// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include <functional>

class QWidget;

namespace heddle::ui {

struct ExportDialog {
    QString title;
    QStringList filters;  ///< "Picture (*.png)"; the first one is chosen
    QString name;         ///< the proposed file name, without extension
};

/// Asks the user for the file to write. The chosen filter sets the extension of the file. Calls `write` with the file once the
/// user has accepted.
void openExportDialog(const ExportDialog& dialog, QWidget* parent, const std::function<void(const QString&)>& write);

}  // namespace heddle::ui
