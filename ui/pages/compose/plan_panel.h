// SPDX-License-Identifier: GPL-3.0-or-later
// "Run this": data, epochs, seeds and device of the draft, the list of runs they make, and the button that queues them.
#pragma once

#include "ui/pages/compose/field_form.h"
#include "ui/pages/compose/variant_draft.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace heddle::ui {

class DataForm;

/// "1,2,3" or "1-5": the seeds in order, each once; nothing when it cannot be read.
std::vector<std::uint64_t> readSeeds(const QString& text);

class PlanPanel : public QWidget {
    Q_OBJECT

public:
    PlanPanel(VariantDraft& draft, QWidget* parent);

    void refresh();
    QString seeds() const;
    void setSeeds(const QString& seeds);
    void focusFirst();
    /// The documents of the runs, one a seed.
    std::vector<Json> plannedRuns() const;
    /// While runs are checked and queued the button waits.
    void setStarting(bool starting);

Q_SIGNALS:
    void startRequested();
    void seedsChanged();

private:
    QWidget* makeTraining();
    QWidget* makeRuns();
    void refreshRuns();
    QString obstacle() const;

    VariantDraft& draft_;
    DataForm* data_;
    QComboBox* device_;
    QLineEdit *name_, *seeds_;
    FieldForm* training_;
    QListWidget* runs_;
    QLabel* problem_;
    QPushButton* start_;
    bool starting_ = false;
};

}  // namespace heddle::ui
