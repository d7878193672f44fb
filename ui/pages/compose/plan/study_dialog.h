// SPDX-License-Identifier: GPL-3.0-or-later
// The dialog for the question of a study: its metric, the margin within which differences count as none, and its claim.
#pragma once

#include "ui/pages/compose/plan/asked_plan.h"

#include <QDialog>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace heddle::ui {

class StudyDialog : public QDialog {
    Q_OBJECT

public:
    /// `question` gives the rows, the baseline and the metric that is selected at first.
    StudyDialog(PlanQuestion question, QWidget* parent);

    /// The question as the fields state it.
    PlanQuestion question() const;

private:
    void addMetrics();
    void showDirection();
    void check();
    /// Returns nothing if the field is empty or does not hold a number above 0.
    std::optional<double> margin() const;

    PlanQuestion question_;
    QComboBox *metric_, *direction_, *claimed_, *claim_;
    QLineEdit* margin_;
    QLabel* problem_;
    QPushButton* save_;
};

}  // namespace heddle::ui
