// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/database_dialog.h"

#include "ui/data/studio.h"

#include <QFileDialog>
#include <QFileInfo>

namespace heddle::ui {

QFileDialog* makeDatabaseDialog(const QString& title, const QString& folder, QWidget* parent) {
    auto* dialog = new QFileDialog(parent, title, folder, Studio::tr("Run databases (*.heddle);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    return dialog;
}

void openDatabaseDialog(Studio& studio, DatabaseDialog kind, QWidget* parent) {
    const QString title = kind == DatabaseDialog::Create   ? Studio::tr("New database")
                          : kind == DatabaseDialog::Beside ? Studio::tr("Open additional database")
                                                           : Studio::tr("Open database");
    QFileDialog* dialog = makeDatabaseDialog(title, QFileInfo(studio.databases().currentFile()).path(), parent);
    if (kind == DatabaseDialog::Create) {
        dialog->setFileMode(QFileDialog::AnyFile);
        dialog->setAcceptMode(QFileDialog::AcceptSave);
        dialog->setDefaultSuffix(QStringLiteral("heddle"));
        dialog->setOption(QFileDialog::DontConfirmOverwrite);  // an existing database is opened, never overwritten
    }
    const auto open = kind == DatabaseDialog::Create   ? &Studio::create
                      : kind == DatabaseDialog::Beside ? &Studio::openBeside
                                                       : &Studio::open;
    QObject::connect(dialog, &QFileDialog::fileSelected, &studio, open);
    dialog->open();
}

}  // namespace heddle::ui
