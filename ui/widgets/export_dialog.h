// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include <functional>

class QWidget;

namespace heddle::ui {

struct ExportDialog {
    QString title;
    QStringList filters;  ///< "Picture (*.png)"; the first one is chosen
    QString name;         ///< proposed for the file, without its end
};

/// Opens a dialog in which a file to write is named; the chosen filter gives the end of its name. `write` gets the file.
void openExportDialog(const ExportDialog& dialog, QWidget* parent, const std::function<void(const QString&)>& write);

}  // namespace heddle::ui
