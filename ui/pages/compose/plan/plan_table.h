// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment plan: rows of variants, settings and seeds with their cost, the button that queues them, and their export as a
// plan file for the command line.
#pragma once

#include "ui/pages/compose/plan/asked_plan.h"
#include "ui/pages/compose/plan/plan_model.h"

#include <QWidget>

class QAction;
class QLabel;
class QPushButton;
class QToolBar;
class QTreeView;

namespace heddle::ui {

class SlurmWatcher;

class PlanTable : public QWidget {
    Q_OBJECT

public:
    /// Messages about the plan go to `strip`.
    PlanTable(VariantDraft& draft, Studio& studio, MessageStrip& strip, QWidget* parent);

    PlanModel& model() { return *model_; }
    const PlanModel& model() const { return *model_; }
    /// Writes the ticked rows as a plan file (heddle.plan/1) with absolute paths of the data files.
    void saveAs(const QString& file);
    /// Writes the question as a study (heddle.study/1), and records in the current database that it is asked. A message tells
    /// the outcome.
    void askAs(const PlanQuestion& question, const QString& file);
    bool isSettled() const { return meter_->isSettled(); }

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QToolBar* makeToolBar();
    void addControl();
    void cloneRow(int row);
    /// Starts the runs of the plan that the current database does not have, and reports how many it has.
    void startRuns();
    void submit(int database, const std::vector<RunSpec>& specs);
    void refresh();
    int currentRow() const;
    /// Opens the dialog for a submission of the ticked rows to Slurm.
    void openSlurmDialog();
    /// Opens the dialog for a study that compares the ticked rows with the selected one, and then asks for its file.
    void openStudyDialog();
    QString proposedStudy() const;
    QString proposedSweep(const QStringList& taken) const;

    VariantDraft& draft_;
    Studio& studio_;
    MessageStrip& strip_;
    PlanMeter* meter_;
    PlanModel* model_;
    SlurmWatcher& slurm_;
    QTreeView* table_;
    QLabel* words_;
    QAction *remove_, *up_, *down_, *time_, *ask_, *save_;
    QPushButton *start_, *onSlurm_;
    bool isStarting_ = false;
};

}  // namespace heddle::ui
