// SPDX-License-Identifier: GPL-3.0-or-later
// What a study of the plan asks: which metric decides, which differences are as good as none, what is claimed.
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
    /// `question`: rows and baseline; its metric is shown first.
    StudyDialog(PlanQuestion question, QWidget* parent);

    /// As the fields have it.
    PlanQuestion question() const;

private:
    void addMetrics();
    void showDirection();
    void check();
    /// Nothing where the field is empty or has no number above 0.
    std::optional<double> margin() const;

    PlanQuestion question_;
    QComboBox *metric_, *direction_, *claimed_, *claim_;
    QLineEdit* margin_;
    QLabel* problem_;
    QPushButton* save_;
};

}  // namespace heddle::ui
