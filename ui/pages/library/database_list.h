// SPDX-License-Identifier: GPL-3.0-or-later
// The databases that are open, and those that were opened before, also where the file is missing.
#pragma once

#include "ui/data/studio.h"
#include "ui/threads/query.h"

#include <QStandardItemModel>
#include <QStyledItemDelegate>

class QListView;

namespace heddle::ui {

struct DatabaseEntry {
    enum class Kind { Section, Current, Open, Recent, Missing };
    Kind kind = Kind::Recent;
    QString title;  ///< file name, or the section's
    QString file;
    QString note;
};

class DatabaseListModel : public QStandardItemModel {
    Q_OBJECT

public:
    enum Role { KindRole = Qt::UserRole + 1, FileRole, NoteRole };
    using QStandardItemModel::QStandardItemModel;

    void setEntries(const QList<DatabaseEntry>& entries);
    /// Row of a file, or -1.
    int rowOf(const QString& file) const;
};

/// Existence and size of a recent database; read on a pool thread.
struct DatabaseFacts {
    QString file;
    bool exists = false;
    quint64 bytes = 0;
};
QList<DatabaseFacts> factsOf(const QStringList& files);

/// Sections "Open" and "Recent"; open databases are left out of the second.
QList<DatabaseEntry> databaseEntries(const QList<DatabaseEntry>& open, const QList<DatabaseFacts>& recent);

/// Paints sections as headers, entries in two lines; an entry without its file has links to locate and to remove it.
class DatabaseDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;
    /// Where the two links of a missing database are in its row.
    static QRect locateRect(const QRect& row);
    static QRect removeRect(const QRect& row);

Q_SIGNALS:
    /// The link of the current entry was clicked.
    void locateClicked();
    void removeClicked();
};

/// The list and the actions on the selected database. A database that is opened is added to the recent ones.
class DatabaseList : public QWidget {
    Q_OBJECT

public:
    DatabaseList(Studio& studio, QWidget* parent);

    /// The actions on the selected database.
    QList<QAction*> onChosen() const { return {open_, beside_, close_, locate_, remove_}; }
    /// Reads existence and sizes of the files again.
    void refresh();

private:
    void buildActions();
    void take(const QList<DatabaseFacts>& facts);
    void updateActions();
    void openChosen();
    void openChosenBeside();
    void closeChosen();
    void removeChosen();
    void locateChosen();
    void replaceWith(const QString& missing, const QString& found);
    DatabaseEntry::Kind chosenKind() const;
    QString chosenFile() const;
    /// The open database of the chosen entry; null for other entries.
    RunDatabase* chosenDatabase() const;

    Studio& studio_;
    DatabaseListModel* model_;
    QListView* view_;
    QAction *open_, *beside_, *close_, *locate_, *remove_;
    Query<QList<DatabaseFacts>> reading_;
};

}  // namespace heddle::ui
