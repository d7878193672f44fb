// SPDX-License-Identifier: GPL-3.0-or-later
// The side and the foot of Compose: what the selected slot holds and what it costs; what follows from the draft as a whole.
#pragma once

#include "ui/data/studio.h"
#include "ui/pages/compose/draft/variant_draft.h"

#include <QTabWidget>

class QTreeView;

namespace heddle::ui {

class CellTable;
class DataReport;
class JsonEditor;
class PartInspector;
class PlanTable;
class SectionTitle;

/// The selected slot, parameters by slot, dimensions.
class SlotSide : public QWidget {
    Q_OBJECT

public:
    SlotSide(VariantDraft& draft, QWidget* parent);
    PartInspector& inspector() { return *inspector_; }
    /// Puts a block into the selected slot, if it is one of that name, else wherever the model has such a slot.
    void useBlock(const std::string& slot, const std::string& block);

Q_SIGNALS:
    /// The path of a slot that was changed.
    void pathChosen(const std::string& path);

private:
    void showCosts();
    void showSite();

    VariantDraft& draft_;
    SectionTitle *slotTitle_, *costTitle_;
    PartInspector* inspector_;
    QTreeView* costs_;
};

/// Problems, differences, the specification, the data, the training, the experiment plan.
class ReportTabs : public QTabWidget {
    Q_OBJECT

public:
    ReportTabs(VariantDraft& draft, Studio& studio, MessageStrip& strip, QWidget* parent);
    JsonEditor* json() const { return json_; }
    DataReport* data() const { return data_; }
    PlanTable* plan() const { return plan_; }

Q_SIGNALS:
    /// The path of a problem or a difference was chosen.
    void pathChosen(const std::string& path);

private:
    /// Adds a tab with a table whose rows lead to slots.
    void addTable(CellTable* model, const QString& title, const QString& name);

    JsonEditor* json_;
    DataReport* data_;
    PlanTable* plan_;
};

}  // namespace heddle::ui
