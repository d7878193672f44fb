// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/export_dialog.h"

#include <QFileDialog>
#include <QFileInfo>

namespace heddle::ui {
namespace {

/// "png" of "Picture (*.png)".
QString extensionOf(const QString& filter) { return filter.section(QLatin1String("*."), 1).section(QLatin1Char(')'), 0, 0); }

}  // namespace

void openExportDialog(const ExportDialog& options, QWidget* parent, const std::function<void(const QString&)>& write) {
    auto* dialog = new QFileDialog(parent, options.title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters(options.filters);
    const auto follow = [dialog](const QString& filter, const QString& name) {
        dialog->setDefaultSuffix(extensionOf(filter));
        dialog->selectFile(name + QLatin1Char('.') + extensionOf(filter));
    };
    follow(options.filters.first(), options.name);
    QObject::connect(dialog, &QFileDialog::filterSelected, dialog, [dialog, follow](const QString& filter) {
        follow(filter, QFileInfo(dialog->selectedFiles().value(0)).completeBaseName());
    });
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, write);
    dialog->open();
}

}  // namespace heddle::ui
