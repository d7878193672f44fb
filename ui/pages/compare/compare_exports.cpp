// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/compare_exports.h"

#include "app/study/report_folder.h"
#include "storage/run_query.h"
#include "ui/data/study_comparer.h"
#include "ui/pages/compare/compared_curves.h"
#include "ui/pages/compare/run_table_export.h"
#include "ui/pages/compare/value_table.h"
#include "ui/panels/table/run_table_view.h"
#include "ui/plot/curve_plot.h"
#include "ui/widgets/picture.h"
#include "ui/widgets/small_parts.h"

#include <QAction>
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QMenu>
#include <QUrl>

#include <memory>

namespace heddle::ui {

CompareExports::CompareExports(Studio& studio, const ExportedParts& parts, QWidget* page)
    : QObject(page), studio_(studio), parts_(parts), page_(page), menu_(new QMenu(page)) {
    struct Entry {
        const char* id;  ///< the object name of the action
        QString text, name;
        Export what;
    };
    for (const Entry& entry : {Entry{"exportTable", tr("Export table…"), tr("runs"), Export::Table},
                               Entry{"exportPicture", tr("Export curves as picture…"), tr("curves"), Export::Picture},
                               Entry{"exportValues", tr("Export values of curves…"), tr("curves"), Export::Values},
                               Entry{"exportEndValues", tr("Export end values…"), tr("end values"), Export::EndValues},
                               Entry{"exportDifferences", tr("Export differences…"), tr("settings"), Export::Differences}})
        menu_->addAction(makeAction(page, {entry.id, entry.text}, [this, entry] {
            const auto filters = entry.what == Export::Picture ? pictureFilters() : tableFilters();
            openExportDialog({QString(entry.text).remove(QChar(0x2026)), filters, entry.name}, page_,
                             [this, entry](const QString& file) { exportTo(file, entry.what); });
        }));
    exportTable_ = menu_->actions().constFirst();
    report_ = makeAction(page, {"report", tr("Report…"), Icon::Export}, [this] { askForFolder(); });
    menu_->addAction(report_);
    page->addActions(menu_->actions());
    connect(&parts.comparer, &StudyComparer::studiesChanged, this, &CompareExports::refresh);
    refresh();
}

void CompareExports::refresh() {
    report_->setEnabled(parts_.comparer.study().has_value());
    report_->setToolTip(
        report_->isEnabled()
            ? tr("Write the report of the study: a page, tables, figures and a PDF")
            : tr("A report answers a study, a question that was asked beforehand: Ask as study… in the plan of Compose "
                 "asks one"));
}

void CompareExports::askForFolder() {
    const auto study = parts_.comparer.study();
    if (!study) return;
    auto* dialog = new QFileDialog(page_, tr("Folder of the report"), QDir::currentPath());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setFileMode(QFileDialog::AnyFile);
    dialog->setLabelText(QFileDialog::Accept, tr("Write"));
    dialog->selectFile(QString::fromStdString(study->key) + QStringLiteral("-report"));
    // Of the study that was asked for: the page may have another one by then.
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, study = *study](const QString& folder) { writeReport(study, folder); });
    dialog->open();
}

void CompareExports::reportTo(const QString& folder) {
    if (const auto& study = parts_.comparer.study()) writeReport(*study, folder);
}

void CompareExports::writeReport(const KnownStudy& study, const QString& folder) {
    const RunDatabase* database = studio_.databases().find(study.database);
    if (!database) return;
    using Report = std::shared_ptr<const app::StudyReport>;
    const auto read = [study, file = database->file().toStdString()](storage::RunQuery& query) -> Report {
        const app::StudyRuns runs = studyRunsOf(study, query, file);
        return std::make_shared<const app::StudyReport>(app::studyReport(runs, runs.toldVerdict(query), query));
    };
    const auto told = [this](const Result<QString>& page) {
        if (!page) return studio_.report(page.problem());
        auto* open = new QAction(tr("Open"), this);
        open->setObjectName(QStringLiteral("openReport"));
        connect(open, &QAction::triggered, this, [page = *page] { QDesktopServices::openUrl(QUrl::fromLocalFile(page)); });
        studio_.report(
            MessageStrip::Message{StripKind::Ok, tr("The report is written."), *page, {open}, QStringLiteral("reportWritten")});
    };
    // Files, figures and the PDF take longer than other views may wait for the reader.
    ask(this, studio_.databases().reader(study.database), read, [this, folder, told](const Result<Report>& report) {
        if (!report) return studio_.report(report.problem());
        const auto write = [folder, report = *report] {
            const QString page = QString::fromStdString(app::writeReport(*report, folder.toStdString()));
            writeWhole(QDir(folder).filePath(QStringLiteral("report.pdf")), reportPdf(*report));
            return page;
        };
        ask(this, Pool{}, write, told);
    });
}

void CompareExports::setHasRuns(bool hasRuns) {
    exportTable_->setEnabled(hasRuns);
    exportTable_->setToolTip(hasRuns ? QString() : tr("No run is in the table"));
}

void CompareExports::exportTo(const QString& file, Export what) {
    constexpr QSize kPicture(1200, 720);
    if (what == Export::Picture) return studio_.writeExport(file, painted(parts_.curves.plot().picture(kPicture), file));
    const auto format = tableFormatOf(file.toStdString());
    if (what == Export::Table && format)
        return studio_.writeExport(file, [shown = parts_.table.model().arrangement(), format] {
            return QByteArray::fromStdString(exportOf(*shown, *format));
        });
    const PlotTable table = what == Export::Values      ? parts_.curves.plot().table()
                            : what == Export::EndValues ? parts_.values.table()
                                                        : parts_.differences.table();
    studio_.writeExport(file, [table, file] { return tableBytes(table, file); });
}

}  // namespace heddle::ui
