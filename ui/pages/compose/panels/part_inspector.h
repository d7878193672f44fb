// SPDX-License-Identifier: GPL-3.0-or-later
// The block of the selected slot and the blocks that it could hold, from the catalogue: cost, formula, parameters.
#pragma once

#include "ui/pages/compose/draft/variant_draft.h"
#include "ui/pages/compose/forms/field_form.h"

#include <QAbstractButton>

class QButtonGroup;
class QComboBox;
class QLabel;
class QVBoxLayout;

namespace heddle::ui {

/// One block that a slot may hold: a radio row with its name, its summary, its parameters and by how much they change the
/// model.
class ChoiceRow : public QAbstractButton {
    Q_OBJECT

public:
    struct Words {
        QString name, summary, count, change;
    };
    explicit ChoiceRow(QWidget* parent);
    void setWords(const Words& words);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    Words words_;
};

class PartInspector : public QWidget {
    Q_OBJECT

public:
    PartInspector(VariantDraft& draft, QWidget* parent);

    /// Gives the focus to the chosen block.
    void focusChoices();
    /// Chooses a block, as a click on its row does; does nothing if the slot cannot hold it.
    void choose(const std::string& block);

private:
    void refresh();
    QWidget* makeScope();
    void fillScope();
    void fillChoices();
    void fillDetails();
    void checkChosen();
    void scopeChosen(int index);
    std::int64_t cost(const BlockDescriptor& block, const Json& params, const SlotSite& site) const;
    /// The change of the model's parameters by another block in a slot of a stack; nothing if the model cannot have it.
    std::optional<std::int64_t> stackChange(const BlockDescriptor& block) const;
    VariantDraft::Reach reach() const { return wholeModel_ ? VariantDraft::Reach::Model : VariantDraft::Reach::Site; }
    std::vector<SlotSite> reached() const;

    VariantDraft& draft_;
    std::optional<SlotSite> site_;  ///< of the draft, as last shown
    bool wholeModel_ = false;
    QLabel *empty_, *formula_, *reference_, *count_;
    QWidget *scopeRow_, *content_;
    QComboBox *layers_, *sublayer_;
    QVBoxLayout* choiceColumn_;
    QButtonGroup* choices_;  ///< by place in the catalogue
    std::string rowsOf_;     ///< the slot that the rows are of
    FieldForm *form_, *modelForm_;
};

}  // namespace heddle::ui
