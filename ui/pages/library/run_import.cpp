// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/library/run_import.h"

#include "ui/pages/library/import_dialog.h"
#include "ui/pages/library/library_runs.h"
#include "ui/widgets/small_parts.h"

#include <QAction>
#include <QFileDialog>

namespace heddle::ui {

RunImport::RunImport(Studio& studio, LibraryRuns& runs, QWidget& page)
    : QObject(&page),
      studio_(studio),
      runs_(runs),
      page_(page),
      file_(makeAction(this, {"importRuns", tr("Import runs…"), Icon::Import}, [this] { chooseSource(Source::File); })),
      folder_(makeAction(this, {"importFolder", tr("Import TensorBoard folder…"), Icon::Import},
                         [this] { chooseSource(Source::Folder); })) {
    const auto refresh = [this] {
        const bool any = studio_.databases().current() != nullptr;
        for (QAction* action : actions()) {
            action->setEnabled(any);
            action->setToolTip(any ? tr("Runs that another program recorded") : tr("Open a database first"));
        }
    };
    connect(&studio.databases(), &Databases::currentChanged, this, refresh);
    connect(&studio, &Studio::importRequested, this, &RunImport::open);
    refresh();
}

void RunImport::chooseSource(Source source) {
    const bool isFile = source == Source::File;
    auto* dialog = new QFileDialog(&page_, isFile ? tr("Import runs") : tr("Import a folder of TensorBoard"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(isFile ? QFileDialog::ExistingFiles : QFileDialog::Directory);
    if (isFile)
        dialog->setNameFilters(
            {tr("Records of runs (*.csv *.tsv *.jsonl *.json *.txt *.gz *.db *tfevents*)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::filesSelected, this, &RunImport::open);
    dialog->open();
}

void RunImport::open(const QStringList& files) {
    if (!studio_.databases().current())
        return studio_.report(Problem{tr("No database is open"), files.value(0), tr("Nothing was imported."),
                                      tr("Open the database that the runs are for, then import them.")});
    waiting_ += files;
    openNext();
}

void RunImport::openNext() {
    if (isOpen_ || waiting_.isEmpty()) return;
    isOpen_ = true;
    auto* dialog = new ImportDialog(studio_, waiting_.takeFirst(), &page_);
    connect(dialog, &ImportDialog::imported, &runs_, &LibraryRuns::choose);
    connect(dialog, &QDialog::finished, this, [this] {
        isOpen_ = false;
        openNext();
    });
    dialog->open();
}

}  // namespace heddle::ui
