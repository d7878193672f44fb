// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/shortcut_list.h"

#include "ui/pages/page.h"
#include "ui/theme/icons.h"
#include "ui/theme/type.h"

#include <QAction>
#include <QHeaderView>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QTreeView>
#include <QVBoxLayout>

namespace heddle::ui {
namespace {

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
    return ShortcutList::tr("Everywhere");
}

}  // namespace

QList<ShortcutList::Row> ShortcutList::rowsOf(const QWidget& window) {
    QList<Row> rows;
    for (const QAction* action : window.findChildren<QAction*>()) {
        const QString what = action->iconText().section(QLatin1Char('\t'), 0, 0);  // without the run that it acts on
        const Row row{what, keysOf(*action), placeOf(*action)};
        if (!row.keys.isEmpty() && !what.isEmpty() && action->isVisible() && !rows.contains(row)) rows.append(row);
    }
    return rows;
}

ShortcutList::ShortcutList(QWidget* window) : QDialog(window) {
    setWindowTitle(tr("Keyboard shortcuts"));
    auto* model = new QStandardItemModel(this);
    model->setHorizontalHeaderLabels({tr("Action"), tr("Keys"), tr("Where")});
    for (const Row& row : rowsOf(*window))
        model->appendRow({new QStandardItem(row.what), new QStandardItem(row.keys), new QStandardItem(row.where)});
    model->sort(0);
    auto* shown = new QSortFilterProxyModel(this);
    shown->setSourceModel(model);
    shown->setFilterKeyColumn(-1);
    shown->setFilterCaseSensitivity(Qt::CaseInsensitive);
    auto* box = new QLineEdit(this);
    box->setObjectName(QStringLiteral("shortcutFilter"));
    box->setPlaceholderText(tr("Find an action or a key"));
    box->setAccessibleName(tr("Find a shortcut"));
    box->setClearButtonEnabled(true);
    box->addAction(themeIcon(Icon::Search, Token::Text2), QLineEdit::LeadingPosition);
    connect(box, &QLineEdit::textChanged, shown, &QSortFilterProxyModel::setFilterFixedString);
    auto* view = new QTreeView(this);
    view->setAccessibleName(tr("Keyboard shortcuts"));
    view->setModel(shown);
    view->setEditTriggers(QAbstractItemView::NoEditTriggers);
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
