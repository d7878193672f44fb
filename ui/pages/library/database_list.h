// SPDX-License-Identifier: GPL-3.0-or-later
// The databases: those that are open, those opened before, and those of them that are gone.
#pragma once

#include "ui/data/studio.h"
#include "ui/theme/tokens.h"
#include "ui/threads/query.h"

#include <QStandardItemModel>
#include <QStyledItemDelegate>

class QFileDialog;
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

/// Two lines an entry, sections as headers; an entry whose file is missing offers to look for it and to forget it.
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
    static QRect forgetRect(const QRect& row);

Q_SIGNALS:
    /// The link of the current entry was clicked.
    void locateClicked();
    void forgetClicked();
};

/// Existing: the file must exist. Create: it is made unless it exists. Beside: it must exist, and other databases stay open.
enum class OpenMode { Existing, Create, Beside };

/// The list with what can be done to the chosen database. Databases that open come to the recent ones.
class DatabaseList : public QWidget {
    Q_OBJECT

public:
    DatabaseList(Studio& studio, QWidget* parent);

    /// What can be done to the chosen database.
    const QList<QAction*>& onChosen() const { return onChosen_; }
    /// Looks at the files again.
    void refresh();

Q_SIGNALS:
    /// The window opens databases.
    void openRequested(const QString& file, heddle::ui::OpenMode mode);

private:
    QAction* add(Icon icon, const QString& text, const QKeySequence& key, void (DatabaseList::*does)());
    void buildActions();
    void take(const QList<DatabaseFacts>& facts);
    void updateActions();
    void chooseFile(OpenMode mode);
    QFileDialog* fileDialog(const QString& title, const QString& folder);
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
    QList<QAction*> onChosen_;
    Query<QList<DatabaseFacts>> reading_;
};

}  // namespace heddle::ui
