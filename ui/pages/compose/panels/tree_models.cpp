// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/panels/tree_models.h"

#include "engine/base/json.h"
#include "engine/spec/variant_schema.h"
#include "ui/text/number.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QApplication>
#include <QPainter>
#include <QPixmap>

#include <algorithm>

namespace heddle::ui {
namespace {

constexpr auto kRight = Qt::AlignRight | Qt::AlignVCenter;

QPixmap stripe(SlotColour colour) {
    const double scale = qApp->devicePixelRatio();
    QPixmap picture(QSize(px(6), px(14)) * scale);
    picture.setDevicePixelRatio(scale);
    picture.fill(Qt::transparent);
    QPainter(&picture).fillRect(QRect(0, 0, px(4), px(14)), Theme::color(colour));
    return picture;
}

}  // namespace

BlockModel::BlockModel() {
    const auto add = [](QStandardItem* parent, const QString& words, const QString& tip) {
        auto* item = new QStandardItem(words);
        item->setEditable(false);
        item->setToolTip(tip);
        parent->appendRow(item);
        return item;
    };
    for (const auto& slot : builtinCatalogue().slots()) {
        QStandardItem* group = add(invisibleRootItem(), text(slot), {});
        for (const BlockDescriptor* block : builtinCatalogue().ofSlot(slot))
            add(group, QStringLiteral("%1  %2").arg(text(block->id), text(block->title)),
                text(block->summary + "\n" + block->formula));
    }
}

const BlockDescriptor* BlockModel::block(const QModelIndex& index) const {
    const QModelIndex slot = index.parent();
    if (!slot.isValid()) return nullptr;
    return builtinCatalogue().ofSlot(slot.data().toString().toStdString())[std::size_t(index.row())];
}

/// Fonts and colours of slots follow the theme.
QVariant BlockModel::data(const QModelIndex& index, int role) const {
    const bool isSlot = index.isValid() && !index.parent().isValid();
    if (isSlot && role == Qt::FontRole) return strongFont(Type::Body);
    if (isSlot && role == Qt::DecorationRole) return stripe(familyOf(index.data().toString().toStdString()).colour);
    return QStandardItemModel::data(index, role);
}

OutlineModel::OutlineModel() {
    setHorizontalHeaderLabels({tr("Module"), tr("Parameters")});
    horizontalHeaderItem(1)->setTextAlignment(kRight);
}

std::vector<OutlineModel::Module> OutlineModel::modulesOf(const VariantDraft& draft) {
    std::vector<Module> modules;
    if (!draft.facts()) return modules;
    std::map<std::string, std::size_t> known;
    for (const auto& cost : draft.facts()->cost.modules) {
        std::string parent;
        for (std::size_t begin = 0; begin <= cost.path.size();) {
            auto end = std::min(cost.path.find('.', begin), cost.path.size());
            // "layers.3" is one level, without a separate level "layers".
            if (cost.path.compare(begin, end - begin, "layers") == 0)
                end = std::min(cost.path.find('.', end + 1), cost.path.size());
            const std::string path = cost.path.substr(0, end);
            const auto [found, isNew] = known.emplace(path, modules.size());
            if (isNew) modules.push_back({path, parent, cost.path.substr(begin, end - begin), ""});
            modules[found->second].parameters += cost.parameters;
            parent = path;
            begin = end + 1;
        }
        Module& leaf = modules[known.at(cost.path)];
        const Json& entry = draft.facts()->tree.value(cost.path, Json::object());
        leaf.block = entry.value(kindKey(slotOfModule(cost.path)), std::string());
        leaf.differs = draft.differs(cost.path);
    }
    return modules;
}

void OutlineModel::build(const std::vector<Module>& modules) {
    removeRows(0, rowCount());
    items_.clear();
    for (const Module& module : modules) {
        auto *item = new QStandardItem, *parameters = new QStandardItem;
        for (QStandardItem* each : {item, parameters}) {
            each->setEditable(false);
            each->setToolTip(text(module.path));
        }
        if (module.block.empty()) item->setFont(strongFont(Type::Body));
        parameters->setFont(numberFont(Type::Body));
        parameters->setTextAlignment(kRight);
        QStandardItem* parent = module.parent.empty() ? invisibleRootItem() : items_.at(module.parent);
        parent->appendRow({item, parameters});
        items_[module.path] = item;
    }
}

void OutlineModel::show(const VariantDraft& draft) {
    const auto modules = modulesOf(draft);
    const auto isKnown = [this](const Module& module) { return items_.contains(module.path); };
    if (modules.size() != items_.size() || !std::all_of(modules.begin(), modules.end(), isKnown)) build(modules);
    for (const Module& module : modules) {
        QStandardItem* item = items_.at(module.path);
        item->setText(text(module.block.empty() ? module.label : module.label + "  " + module.block));
        if (item->icon().isNull() == module.differs)
            item->setIcon(module.differs ? themeIcon(Icon::NotEqual, Token::Text2) : QIcon());
        itemFromIndex(item->index().siblingAtColumn(1))->setText(count(module.parameters));
    }
}

std::string OutlineModel::pathOf(const QModelIndex& index) const {
    return index.data(Qt::ToolTipRole).toString().toStdString();
}

QModelIndex OutlineModel::indexOf(const std::string& path) const {
    const auto found = items_.find(path);
    return found == items_.end() ? QModelIndex() : found->second->index();
}

}  // namespace heddle::ui
