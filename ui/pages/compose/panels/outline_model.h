// SPDX-License-Identifier: GPL-3.0-or-later
// The resolved modules as a tree with their parameters, updated in place while the structure stays.
#pragma once

#include "ui/pages/compose/draft/variant_draft.h"

#include <QAbstractItemModel>

namespace heddle::ui {

class OutlineModel : public QAbstractItemModel {
    Q_OBJECT

public:
    using QAbstractItemModel::QAbstractItemModel;

    void show(const VariantDraft& draft);
    /// "encoder.layers.0.self.adjuster"; of a group the common beginning.
    std::string pathOf(const QModelIndex& index) const;
    QModelIndex indexOf(const std::string& path) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& = {}) const override { return 2; }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Node {
        std::string path, label, block;
        int parent = -1, row = 0;
        std::vector<int> children;
        std::int64_t parameters = 0;
        bool differs = false;
    };
    static std::vector<Node> build(const VariantDraft& draft);
    static bool sameShape(const std::vector<Node>& a, const std::vector<Node>& b);

    std::vector<Node> nodes_{Node{}};  ///< 0 is the root
};

}  // namespace heddle::ui
