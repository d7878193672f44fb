// SPDX-License-Identifier: GPL-3.0-or-later
// What the selected slot holds and could hold: choices with their cost, formula, parameters. Made from the catalogue alone.
#pragma once

#include "ui/pages/compose/draft/variant_draft.h"
#include "ui/pages/compose/forms/field_form.h"

#include <QWidget>

class QButtonGroup;
class QComboBox;
class QLabel;
class QVBoxLayout;

namespace heddle::ui {

class PartInspector : public QWidget {
    Q_OBJECT

public:
    PartInspector(VariantDraft& draft, QWidget* parent);

    /// Puts the keyboard on the chosen block.
    void focusChoices();
    /// Chooses a block as a click on its row does; nothing happens when the slot cannot hold it.
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
    /// Parameters that the model gains by another block in a slot of a stack; nothing where the model cannot have it.
    std::optional<std::int64_t> stackChange(const BlockDescriptor& block) const;
    VariantDraft::Reach reach() const { return wholeModel_ ? VariantDraft::Reach::Model : VariantDraft::Reach::Site; }
    std::vector<SlotSite> reached() const;

    VariantDraft& draft_;
    std::optional<SlotSite> site_;  ///< of the draft, when it was shown last
    bool wholeModel_ = false;
    QLabel *empty_, *formula_, *reference_, *count_;
    QWidget *scopeRow_, *content_;
    QComboBox *layers_, *sublayer_;
    QVBoxLayout* choiceColumn_;
    QButtonGroup* choices_;  ///< by place in the catalogue
    std::string rowsOf_;     ///< the slot whose choices stand there
    FieldForm *form_, *modelForm_;
};

}  // namespace heddle::ui
