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

class ChoiceRow;

class PartInspector : public QWidget {
    Q_OBJECT

public:
    PartInspector(VariantDraft& draft, QWidget* parent);

    /// Shows a slot, or what to do when there is none.
    void setSite(const std::optional<SlotSite>& site);
    /// The draft changed: shows it again in place.
    void refresh();
    /// Puts the keyboard on the chosen block.
    void focusChoices();
    /// Chooses a block as a click on its row does; nothing happens when the slot cannot hold it.
    void choose(const std::string& block);

Q_SIGNALS:
    /// Another slot or other layers were chosen here.
    void siteChosen(const std::optional<heddle::ui::SlotSite>& site);

private:
    QWidget* makeScope();
    void fillScope();
    void fillChoices();
    void fillDetails();
    void scopeChosen(int index);
    std::int64_t cost(const BlockDescriptor& block, const Json& params, const SlotSite& site) const;
    /// Parameters that the model gains by another block in a slot of a stack; nothing where the model cannot have it.
    std::optional<std::int64_t> stackChange(const BlockDescriptor& block) const;
    Json defaultsOf(const BlockDescriptor& block) const;
    VariantDraft::Reach reach() const { return wholeModel_ ? VariantDraft::Reach::Model : VariantDraft::Reach::Site; }
    std::vector<SlotSite> reached() const;

    VariantDraft& draft_;
    std::optional<SlotSite> site_;
    bool wholeModel_ = false;
    QLabel *empty_, *formula_, *reference_, *count_;
    QWidget *scopeRow_, *content_;
    QComboBox *layers_, *sublayer_;
    QVBoxLayout* choiceColumn_;
    QButtonGroup* choices_;
    std::map<std::string, ChoiceRow*> rows_;
    std::string rowsOf_;  ///< the slot whose choices stand there
    FieldForm *form_, *modelForm_;
};

}  // namespace heddle::ui
