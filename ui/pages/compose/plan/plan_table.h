// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment plan: rows of variants, settings and seeds with what they take, the button that queues them, and the file that
// the command line reads.
#pragma once

#include "ui/pages/compose/plan/plan_model.h"
#include "ui/text/problem.h"

#include <QWidget>

class QAction;
class QLabel;
class QPushButton;
class QSettings;
class QToolBar;
class QTreeView;

namespace heddle::ui {

class PlanTable : public QWidget {
    Q_OBJECT

public:
    PlanTable(Studio& studio, QWidget* parent);

    PlanModel& model() { return *model_; }
    void setDraft(const PlanRow& row, const AssumedVocabulary& assumed);
    /// Disables the start button while runs are checked and queued.
    void setStarting(bool starting);
    /// Writes the ticked rows as a plan file (heddle.plan/1) with absolute paths of the data files.
    void saveAs(const QString& file);
    /// The baseline in the experiment of the draft: its step is timed with those of the rows. It is no row of the plan.
    void setBaseline(const std::optional<PlanRow>& row);
    /// The measured step of the draft, if it was timed.
    std::optional<StepTime> stepOfDraft() const;
    std::optional<StepTime> stepOfBaseline() const;
    bool isSettled() const { return meter_->isSettled(); }
    void saveSession(QSettings& settings) const;
    void restoreSession(QSettings& settings);

Q_SIGNALS:
    void startRequested();
    void controlRequested();
    void edited();
    void costsChanged();
    void failed(const heddle::ui::Problem& problem);
    void saved(const QString& file);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QToolBar* makeToolBar();
    void cloneRow(int row);
    void chooseFile();
    /// Has the meter work out what the rows and the baseline take.
    void updateModel();
    void rowsChanged();
    void refresh();
    int currentRow() const;

    PlanMeter* meter_;
    PlanModel* model_;
    AssumedVocabulary assumed_;
    std::optional<PlanRow> baseline_;
    std::string baselineKey_;
    QTreeView* table_;
    QLabel* words_;
    QAction *remove_, *up_, *down_, *time_, *save_;
    QPushButton* start_;
    bool isStarting_ = false;
};

}  // namespace heddle::ui
