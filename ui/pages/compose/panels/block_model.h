// SPDX-License-Identifier: GPL-3.0-or-later
// The catalogue by slot: every block that a slot can hold.
#pragma once

#include "engine/spec/catalogue.h"

#include <QStandardItemModel>

namespace heddle::ui {

class BlockModel : public QStandardItemModel {
    Q_OBJECT

public:
    BlockModel();
    const BlockDescriptor* block(const QModelIndex& index) const;  ///< null for a slot

    QVariant data(const QModelIndex& index, int role) const override;
};

}  // namespace heddle::ui
