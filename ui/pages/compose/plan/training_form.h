// SPDX-License-Identifier: GPL-3.0-or-later
// The training of the draft: data, name, seeds, device, epochs.
#pragma once

#include "ui/pages/compose/draft/variant_draft.h"

#include <QWidget>

class QComboBox;
class QLineEdit;

namespace heddle::ui {

class TrainingForm : public QWidget {
    Q_OBJECT

public:
    TrainingForm(VariantDraft& draft, QWidget* parent);

private:
    void refresh();
    QWidget* makeTraining();

    VariantDraft& draft_;
    QComboBox* device_;
    QLineEdit *name_, *seeds_;
};

}  // namespace heddle::ui
