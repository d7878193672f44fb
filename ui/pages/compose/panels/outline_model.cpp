// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/panels/outline_model.h"

#include "ui/text/number.h"
#include "ui/theme/icons.h"
#include "ui/theme/type.h"

#include "engine/spec/variant_schema.h"

#include <algorithm>

namespace heddle::ui {

std::vector<OutlineModel::Node> OutlineModel::build(const VariantDraft& draft) {
    std::vector<Node> nodes{Node{}};
    std::map<std::string, int> known{{"", 0}};
    const auto node = [&](const std::string& path, const std::string& label, int parent) {
        const auto [found, isNew] = known.emplace(path, int(nodes.size()));
        if (isNew) {
            Node made;
            made.path = path;
            made.label = label;
            made.parent = parent;
            made.row = int(nodes[std::size_t(parent)].children.size());
            nodes[std::size_t(parent)].children.push_back(found->second);
            nodes.push_back(std::move(made));
        }
        return found->second;
    };
    for (const auto& module : draft.facts()->cost.modules) {
        int at = 0;
        for (std::size_t begin = 0; begin <= module.path.size();) {
            auto end = module.path.find('.', begin);
            if (end == std::string::npos) end = module.path.size();
            // "layers.3" is one level: a level that only says "layers" tells nothing.
            if (module.path.compare(begin, end - begin, "layers") == 0)
                end = std::min(module.path.find('.', end + 1), module.path.size());
            at = node(module.path.substr(0, end), module.path.substr(begin, end - begin), at);
            begin = end + 1;
        }
        Node& leaf = nodes[std::size_t(at)];
        const Json& entry = draft.facts()->tree.value(module.path, Json::object());
        leaf.block = entry.value(kindKey(slotOfModule(module.path)), std::string());
        leaf.differs = draft.differs(module.path);
        for (int up = at; up >= 0; up = nodes[std::size_t(up)].parent) nodes[std::size_t(up)].parameters += module.parameters;
    }
    return nodes;
}

bool OutlineModel::sameShape(const std::vector<Node>& a, const std::vector<Node>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Node& x, const Node& y) { return x.path == y.path; });
}

void OutlineModel::show(const VariantDraft& draft) {
    auto nodes = draft.facts() ? build(draft) : std::vector<Node>{Node{}};
    if (!sameShape(nodes, nodes_)) {
        beginResetModel();
        nodes_ = std::move(nodes);
        endResetModel();
        return;
    }
    std::vector<int> changed;
    for (std::size_t i = 1; i < nodes.size(); ++i)
        if (nodes[i].parameters != nodes_[i].parameters || nodes[i].block != nodes_[i].block ||
            nodes[i].differs != nodes_[i].differs)
            changed.push_back(int(i));
    nodes_ = std::move(nodes);
    for (const int i : changed) {
        const QModelIndex left = createIndex(nodes_[std::size_t(i)].row, 0, quintptr(i));
        Q_EMIT dataChanged(left, left.siblingAtColumn(1));
    }
}

std::string OutlineModel::pathOf(const QModelIndex& index) const {
    return index.isValid() ? nodes_[index.internalId()].path : std::string();
}

QModelIndex OutlineModel::indexOf(const std::string& path) const {
    for (std::size_t i = 1; i < nodes_.size(); ++i)
        if (nodes_[i].path == path) return createIndex(nodes_[i].row, 0, quintptr(i));
    return {};
}

QModelIndex OutlineModel::index(int row, int column, const QModelIndex& parent) const {
    const Node& node = nodes_[parent.isValid() ? parent.internalId() : 0];
    if (row < 0 || row >= int(node.children.size()) || column < 0 || column > 1 || parent.column() > 0) return {};
    return createIndex(row, column, quintptr(node.children[std::size_t(row)]));
}

QModelIndex OutlineModel::parent(const QModelIndex& index) const {
    if (!index.isValid()) return {};
    const int parent = nodes_[index.internalId()].parent;
    return parent <= 0 ? QModelIndex() : createIndex(nodes_[std::size_t(parent)].row, 0, quintptr(parent));
}

int OutlineModel::rowCount(const QModelIndex& parent) const {
    if (parent.column() > 0) return 0;
    return int(nodes_[parent.isValid() ? parent.internalId() : 0].children.size());
}

QVariant OutlineModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Node& node = nodes_[index.internalId()];
    const bool first = index.column() == 0;
    switch (role) {
    case Qt::DisplayRole: {
        if (!first) return count(node.parameters);
        const QString label = QString::fromStdString(node.label);
        return node.block.empty() ? label : QStringLiteral("%1  %2").arg(label, QString::fromStdString(node.block));
    }
    case Qt::DecorationRole: return first && node.differs ? QVariant(themeIcon(Icon::NotEqual, Token::Text2)) : QVariant();
    case Qt::TextAlignmentRole: return first ? QVariant() : QVariant(int(Qt::AlignRight | Qt::AlignVCenter));
    case Qt::FontRole:
        return first ? (node.block.empty() ? QVariant(strongFont(Type::Body)) : QVariant()) : QVariant(numberFont(Type::Body));
    case Qt::ToolTipRole: return QString::fromStdString(node.path);
    default: return {};
    }
}

QVariant OutlineModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole && section == 1) return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    return section == 0 ? tr("Module") : tr("Parameters");
}

}  // namespace heddle::ui
