// SPDX-License-Identifier: GPL-3.0-or-later
// The verbs that import runs of other programs into the current database.
#pragma once

#include "ui/data/studio.h"

#include <QStringList>

class QAction;

namespace heddle::ui {

class LibraryRuns;

class RunImport : public QObject {
    Q_OBJECT

public:
    /// New runs become the selection of `runs`. A child of `page`.
    RunImport(Studio& studio, LibraryRuns& runs, QWidget& page);

    /// For the File menu: a file, a folder of TensorBoard.
    QList<QAction*> actions() const { return {file_, folder_}; }
    /// Shows the dialog of each file, one after the other. Reports a problem where no database is open.
    void open(const QStringList& files);

private:
    enum class Source { File, Folder };
    void chooseSource(Source source);
    void openNext();

    Studio& studio_;
    LibraryRuns& runs_;
    QWidget& page_;
    QAction *file_, *folder_;
    QStringList waiting_;
    bool isOpen_ = false;  ///< a dialog is
};

}  // namespace heddle::ui
