// SPDX-License-Identifier: GPL-3.0-or-later
// Runs side by side: a table of values, the differences of their specifications, curves. It shows values with step, n and
// signature, and no tests of significance.
#pragma once

#include "ui/data/run_facts.h"
#include "ui/pages/page.h"
#include "ui/panels/curve_panel.h"

class QComboBox;
class QLabel;
class QMenu;

namespace heddle::ui {

class ColumnChooser;
class CompareActions;
class ComparedCurves;
class DifferencesTable;
class EndValuesTable;
class RunTablePanel;
class TickedRuns;

class ComparePage : public Page {
    Q_OBJECT

public:
    explicit ComparePage(Studio& studio);

    QString title() const override { return tr("Compare"); }
    Icon icon() const override { return Icon::Compare; }
    QList<QAction*> editActions() const override;
    QList<QAction*> runActions() const override;
    void setShown(bool shown) override;
    void saveSession(QSettings& settings) const override;
    void restoreSession(QSettings& settings) override;

    /// Writes a table (.csv, .md, .tex, .tsv) or the curves as a picture (.svg, .pdf, .png) to `file`; a message reports
    /// success or failure.
    enum class Export { Table, Picture, Values, EndValues, Differences };
    void exportTo(const QString& file, Export what);

private:
    void buildToolBar();
    void buildDocks();
    void buildActions();
    QMenu* makeExports();
    void connectTable();
    void showTicked();
    void showCounts();

    RunTablePanel* table_;
    TickedRuns* ticked_;
    CompareActions* actions_;
    DifferencesTable* differences_;
    EndValuesTable* values_;
    ComparedCurves* curves_;
    QLabel* counts_;
    QComboBox* grouping_;
    ColumnChooser* chooser_;
    QAction* exportTable_;

    bool entered_ = false;
    std::vector<RunPointer> compared_;  ///< the runs in the tables
    std::vector<CurveRun> drawn_;       ///< the same in the curves
};

}  // namespace heddle::ui
