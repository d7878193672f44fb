// SPDX-License-Identifier: GPL-3.0-or-later
// What leaves Compare as a file: tables, curves, the report of a study.
#pragma once

#include "app/study/report.h"
#include "ui/data/studio.h"
#include "ui/data/study_comparison.h"

#include <QByteArray>
#include <QObject>

class QAction;
class QMenu;

namespace heddle::ui {

class ComparedCurves;
class RunTableView;
class StudyComparer;
class ValueTable;

/// The parts whose contents are written.
struct ExportedParts {
    RunTableView& table;
    ComparedCurves& curves;
    ValueTable &values, &differences;
    const StudyComparer& comparer;
};

class CompareExports : public QObject {
    Q_OBJECT

public:
    CompareExports(Studio& studio, const ExportedParts& parts, QWidget* page);

    /// Writes a table (.csv, .md, .tex, .tsv) or the curves as a picture (.svg, .pdf, .png) to `file`; a message reports
    /// success or failure.
    enum class Export { Table, Picture, Values, EndValues, Differences };
    void exportTo(const QString& file, Export what);
    /// Writes the report of the chosen study into a folder that is made: pages, tables and a PDF. A message tells the outcome.
    /// Without a study it does nothing.
    void reportTo(const QString& folder);
    /// Whether the table has a run to export.
    void setHasRuns(bool hasRuns);

    QMenu* menu() const { return menu_; }
    QAction& exportTable() const { return *exportTable_; }
    QAction& report() const { return *report_; }

private:
    void refresh();
    void askForFolder();
    void writeReport(const KnownStudy& study, const QString& folder);

    Studio& studio_;
    ExportedParts parts_;
    QWidget* page_;
    QMenu* menu_;
    QAction *exportTable_, *report_;
};

/// The report of a study on paper: A4 pages with the verdicts, the table, the figures, the checks and what was not done. On any
/// thread.
QByteArray reportPdf(const app::StudyReport& report);

}  // namespace heddle::ui
