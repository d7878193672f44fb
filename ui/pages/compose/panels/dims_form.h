// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes of the model, and the vocabulary sizes to count with where the variant leaves them to the data.
#pragma once

#include "ui/pages/compose/draft/variant_draft.h"
#include "ui/pages/compose/forms/field_form.h"

#include <QWidget>

class QLabel;

namespace heddle::ui {

class PanelTitle;

class DimsForm : public QWidget {
    Q_OBJECT

public:
    DimsForm(VariantDraft& draft, QWidget* parent);

private:
    void refresh();

    VariantDraft& draft_;
    PanelTitle* title_;
    FieldForm *form_, *assumed_;
    QLabel* assumedWords_;
};

}  // namespace heddle::ui
