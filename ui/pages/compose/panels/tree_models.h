// SPDX-License-Identifier: GPL-3.0-or-later
// Trees at the left of the page: blocks by slot, modules of the draft.
#pragma once

#include "engine/spec/catalogue.h"
#include "ui/pages/compose/draft/variant_draft.h"

#include <QStandardItemModel>

namespace heddle::ui {

/// The catalogue by slot: every block that a slot can hold.
class BlockModel : public QStandardItemModel {
    Q_OBJECT

public:
    BlockModel();
    const BlockDescriptor* block(const QModelIndex& index) const;  ///< null for a slot

    QVariant data(const QModelIndex& index, int role) const override;
};

/// The resolved modules with their parameters, updated in place while the structure stays.
class OutlineModel : public QStandardItemModel {
    Q_OBJECT

public:
    OutlineModel();

    void show(const VariantDraft& draft);
    /// "encoder.layers.0.self.adjuster"; of a group the common beginning.
    std::string pathOf(const QModelIndex& index) const;
    QModelIndex indexOf(const std::string& path) const;

private:
    struct Module {
        std::string path, parent, label, block;  ///< block: empty for a group
        std::int64_t parameters = 0;
        bool differs = false;
    };
    /// Groups come before their modules.
    static std::vector<Module> modulesOf(const VariantDraft& draft);
    void build(const std::vector<Module>& modules);

    std::map<std::string, QStandardItem*> items_;  ///< by path
};

}  // namespace heddle::ui
