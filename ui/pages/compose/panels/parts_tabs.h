// SPDX-License-Identifier: GPL-3.0-or-later
// The left side: presets, the catalogue of blocks, the outline of modules.
#pragma once

#include "ui/pages/compose/panels/preset_model.h"
#include "ui/pages/compose/panels/tree_models.h"

#include <QTabWidget>

class QLabel;
class QLineEdit;
class QTreeView;

namespace heddle::ui {

class PartsTabs : public QTabWidget {
    Q_OBJECT

public:
    PartsTabs(const VariantDraft& draft, QWidget* parent);

    PresetModel& presets() { return presets_; }
    /// The current preset while the list of presets has the focus, or null.
    const PresetEntry* focusedPreset() const;
    void focusFilter();
    /// The key of the action works while one of the trees has the focus, and not in the fields that filter them.
    void addToTrees(QAction* action);

Q_SIGNALS:
    void presetOpened(const heddle::ui::PresetEntry& entry);
    void pinRequested(const heddle::ui::PresetEntry& entry);
    void removeRequested(const heddle::ui::PresetEntry& entry);
    void blockChosen(const std::string& slot, const std::string& block);
    void moduleChosen(const std::string& path);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    const PresetEntry* currentPreset() const;
    QWidget* makePresets();
    QWidget* makeBlocks();
    QWidget* makeOutline();
    void describeBlock();
    void showOutline();
    /// Selects the row of the slot that is selected in the draft.
    void selectRow();
    void presetMenu(const QPoint& point);

    const VariantDraft& draft_;
    PresetModel presets_;
    BlockModel blocks_;
    OutlineModel outline_;
    QTreeView *presetTree_, *blockTree_, *outlineTree_;
    QLineEdit* filter_;
    QLabel* block_;
    bool isOutlineUpdating_ = false;
};

}  // namespace heddle::ui
