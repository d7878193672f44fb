// SPDX-License-Identifier: GPL-3.0-or-later
// The right side of Compose (the selected slot and its cost) and its lower part (reports on the whole draft).
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
class PanelTitle;

/// The selected slot, parameters by slot, dimensions.
class SlotSide : public QWidget {
    Q_OBJECT

public:
    SlotSide(VariantDraft& draft, QWidget* parent);
    PartInspector& inspector() { return *inspector_; }
    /// Puts a block into the selected slot if it has that name; otherwise into every such slot of the model.
    void useBlock(const std::string& slot, const std::string& block);

Q_SIGNALS:
    /// A slot with this path was changed.
    void pathChosen(const std::string& path);

private:
    void showCosts();
    void showSite();

    VariantDraft& draft_;
    PanelTitle *slotTitle_, *costTitle_;
    PartInspector* inspector_;
    QTreeView* costs_;
};

/// Problems, differences, the specification, the data, the training, the experiment plan.
class ReportTabs : public QTabWidget {
    Q_OBJECT

public:
    ReportTabs(VariantDraft& draft, Studio& studio, MessageStrip& strip, QWidget* parent);
    /// Shows the specification at a member, "train.lr".
    void showJson(const std::string& key);
    DataReport* data() const { return data_; }
    PlanTable* plan() const { return plan_; }

Q_SIGNALS:
    /// The user chose a problem or a difference with this path.
    void pathChosen(const std::string& path);

private:
    /// Adds a tab with a table; a click on a row emits pathChosen().
    void addTable(CellTable* model, const char* name, const QString& title);

    JsonEditor* json_;
    DataReport* data_;
    PlanTable* plan_;
};

}  // namespace heddle::ui
