// SPDX-License-Identifier: GPL-3.0-or-later
// What each attention head of run A attends to: its labels and their scores.
#pragma once

#include "ui/panels/on_demand.h"
#include "ui/panels/panel.h"

#include <QHash>

class QTableWidget;

namespace heddle::ui {

class HeadLabelsPanel : public Panel {
    Q_OBJECT

public:
    HeadLabelsPanel(InspectedPair& pair, QWidget* parent);

    /// Writes all heads with their labels and scores, a row each.
    void exportTo(const QString& file);

Q_SIGNALS:
    /// A head of the table was chosen.
    void headChosen(const QString& sublayer, int head);
    /// The labels of each head ("SUBLAYER:HEAD") of the model that is shown; those without a label are not in it.
    void labelsChanged(const QHash<QString, QString>& labels);

private:
    void show();
    void fill(const LabelsReport& report);

    InspectedPair& pair_;
    OnDemand<LabelsReport> measured_;
    QTableWidget* table_;
    QPushButton* export_;
    const LabelsReport* shown_ = nullptr;  ///< of measured_
};

}  // namespace heddle::ui
