// SPDX-License-Identifier: GPL-3.0-or-later
// Groups of runs beside a baseline: values, differences and verdicts of a study or of the groups on the page, what the runs
// came to, the differences of their specifications, curves.
#pragma once

#include "ui/data/run_facts.h"
#include "ui/pages/page.h"
#include "ui/panels/curve_panel.h"

class QComboBox;
class QLabel;

namespace heddle::ui {

class ColumnChooser;
class CompareActions;
class CompareExports;
class CompareViews;
class ComparedCurves;
class DifferencesTable;
class EndValuesTable;
class QuestionBar;
class RunTableView;
class StudyComparer;
class StudyTrainer;
class TickedRuns;
class VerdictPanel;
struct KnownStudy;

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

private:
    void buildToolBar();
    void buildDocks();
    void buildActions();
    void connectTable();
    void showTicked();
    void showCounts();
    void openSlurmDialog(const KnownStudy& study, int runs);

    RunTableView* table_;
    TickedRuns* ticked_;
    CompareActions* actions_;
    DifferencesTable* differences_;
    EndValuesTable* values_;
    ComparedCurves* curves_;
    QLabel* counts_;
    QComboBox* grouping_;
    ColumnChooser* chooser_;
    StudyComparer* comparer_;
    StudyTrainer* trainer_;
    QAction *openStudy_, *slurmJobs_;
    VerdictPanel* verdict_;
    CompareViews* views_;
    QuestionBar* question_;
    CompareExports* exports_;
    bool entered_ = false;
    std::vector<RunPointer> compared_;  ///< the runs in the tables
    std::vector<CurveRun> drawn_;       ///< the same in the curves
};

}  // namespace heddle::ui
