// SPDX-License-Identifier: GPL-3.0-or-later
// How the draft is trained: data, name, seeds, device, epochs.
#pragma once

#include "engine/spec/plan.h"
#include "ui/pages/compose/draft/variant_draft.h"
#include "ui/pages/compose/forms/field_form.h"

#include <QWidget>

class QComboBox;
class QLineEdit;

namespace heddle::ui {

class DataForm;

class PlanPanel : public QWidget {
    Q_OBJECT

public:
    PlanPanel(VariantDraft& draft, QWidget* parent);

    void refresh();
    /// The draft as a row of a plan.
    PlanRow row() const;

private:
    QWidget* makeTraining();

    VariantDraft& draft_;
    DataForm* data_;
    QComboBox* device_;
    QLineEdit *name_, *seeds_;
    FieldForm* training_;
};

}  // namespace heddle::ui
