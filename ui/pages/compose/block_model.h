// SPDX-License-Identifier: GPL-3.0-or-later
// The catalogue by slot: every block that a slot can hold.
#pragma once

#include "engine/spec/catalogue.h"

#include <QAbstractItemModel>

namespace heddle::ui {

class BlockModel : public QAbstractItemModel {
    Q_OBJECT

public:
    explicit BlockModel(const Catalogue& catalogue, QObject* parent);
    const BlockDescriptor* block(const QModelIndex& index) const;  ///< null for a slot
    QModelIndex indexOf(const std::string& slot, const std::string& id) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& = {}) const override { return 1; }
    QVariant data(const QModelIndex& index, int role) const override;

private:
    struct Slot {
        std::string name;
        std::vector<const BlockDescriptor*> blocks;
    };
    std::vector<Slot> slots_;
};

}  // namespace heddle::ui
