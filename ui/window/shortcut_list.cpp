// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/shortcut_list.h"

#include "ui/pages/page.h"
#include "ui/theme/icons.h"
#include "ui/theme/type.h"

#include <QAction>
#include <QHeaderView>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <tuple>

namespace heddle::ui {
namespace {

QString plain(QString text) {
    const int tab = int(text.indexOf(QLatin1Char('\t')));
    if (tab >= 0) text.truncate(tab);
    return text.remove(QLatin1Char('&'));
}

QString keysOf(const QAction& action) {
    QStringList keys;
    for (const QKeySequence& one : action.shortcuts())
        if (!one.isEmpty()) keys << one.toString(QKeySequence::NativeText);
    return keys.join(QStringLiteral(", "));
}

/// The page an action belongs to, or "everywhere".
QString placeOf(const QAction& action) {
    for (const QObject* owner = &action; owner; owner = owner->parent())
        if (const auto* page = qobject_cast<const Page*>(owner)) return page->title();
    return ShortcutModel::tr("Everywhere");
}

}  // namespace

ShortcutModel::ShortcutModel(const QWidget& window, QObject* parent) : QAbstractTableModel(parent) {
    for (const QAction* action : window.findChildren<QAction*>()) {
        const QString keys = keysOf(*action), what = plain(action->iconText());  // whichever run it acts on
        if (keys.isEmpty() || what.isEmpty() || !action->isVisible()) continue;
        const Row row{placeOf(*action), what, keys};
        if (!rows_.contains(row)) rows_.append(row);
    }
    std::sort(rows_.begin(), rows_.end(),
              [](const Row& a, const Row& b) { return std::tie(a.where, a.what) < std::tie(b.where, b.what); });
}

int ShortcutModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(rows_.size()); }
int ShortcutModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : 3; }

QVariant ShortcutModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || role != Qt::DisplayRole) return {};
    const Row& row = rows_[index.row()];
    return index.column() == 0 ? row.what : index.column() == 1 ? row.keys : row.where;
}

QVariant ShortcutModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    return section == 0 ? tr("Action") : section == 1 ? tr("Keys") : tr("Where");
}

ShortcutList::ShortcutList(QWidget* window) : QDialog(window) {
    setWindowTitle(tr("Keyboard shortcuts"));
    auto* model = new ShortcutModel(*window, this);
    auto* shown = new QSortFilterProxyModel(this);
    shown->setSourceModel(model);
    shown->setFilterKeyColumn(-1);
    shown->setFilterCaseSensitivity(Qt::CaseInsensitive);
    auto* box = new QLineEdit(this);
    box->setPlaceholderText(tr("Find an action or a key"));
    box->setAccessibleName(tr("Find a shortcut"));
    box->setClearButtonEnabled(true);
    box->addAction(themeIcon(Icon::Search, Token::Text2), QLineEdit::LeadingPosition);
    connect(box, &QLineEdit::textChanged, shown, &QSortFilterProxyModel::setFilterFixedString);
    auto* view = new QTreeView(this);
    view->setAccessibleName(tr("Keyboard shortcuts"));
    view->setModel(shown);
    view->setRootIsDecorated(false);
    view->setUniformRowHeights(true);
    view->setAlternatingRowColors(true);
    view->setSortingEnabled(true);
    view->sortByColumn(2, Qt::AscendingOrder);
    view->header()->setStretchLastSection(true);
    view->setColumnWidth(0, px(260));
    view->setColumnWidth(1, px(170));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(px(8), px(8), px(8), px(8));
    column->addWidget(box);
    column->addWidget(view);
    resize(px(560), px(520));
    box->setFocus();
}

}  // namespace heddle::ui
