// SPDX-License-Identifier: GPL-3.0-or-later
// The left side: what to start from, the catalogue of blocks, the outline of modules.
#pragma once

#include "ui/pages/compose/panels/block_model.h"
#include "ui/pages/compose/panels/outline_model.h"
#include "ui/pages/compose/panels/preset_model.h"

#include <QTabWidget>

class QLabel;
class QLineEdit;
class QTreeView;

namespace heddle::ui {

class PartsPanel : public QTabWidget {
    Q_OBJECT

public:
    explicit PartsPanel(QWidget* parent);

    PresetModel& presets() { return presets_; }
    void refresh(const VariantDraft& draft);
    /// The slot that a block would go into, and the row of the outline.
    void setSite(const std::optional<SlotSite>& site);
    /// The preset under the cursor, or null.
    const PresetEntry* currentPreset() const;
    void focusFilter();

Q_SIGNALS:
    void presetOpened(const heddle::ui::PresetEntry& entry);
    void pinRequested(const heddle::ui::PresetEntry& entry);
    void removeRequested(const heddle::ui::PresetEntry& entry);
    void blockChosen(const std::string& slot, const std::string& block);
    void moduleChosen(const std::string& path);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makePresets();
    QWidget* makeBlocks();
    QWidget* makeOutline();
    void describeBlock();
    void showOutline();
    void presetMenu(const QPoint& point);

    PresetModel presets_;
    BlockModel blocks_;
    OutlineModel outline_;
    QTreeView *presetTree_, *blockTree_, *outlineTree_;
    QLineEdit* filter_;
    QLabel* block_;
    std::optional<SlotSite> site_;
    bool outlineFollows_ = false;
    const VariantDraft* draft_ = nullptr;
};

}  // namespace heddle::ui
