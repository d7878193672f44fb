// SPDX-License-Identifier: GPL-3.0-or-later
// The databases: those that are open, those opened before, and those of them that are gone.
#pragma once

#include <QAbstractListModel>
#include <QStyledItemDelegate>

namespace heddle::ui {

struct DatabaseEntry {
    enum class Kind { Section, Current, Open, Recent, Missing };
    Kind kind = Kind::Recent;
    QString title;  ///< file name, or the section's
    QString file;
    QString note;
    bool operator==(const DatabaseEntry&) const = default;
};

class DatabaseListModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role { KindRole = Qt::UserRole + 1, FileRole, NoteRole };
    using QAbstractListModel::QAbstractListModel;

    /// Updates rows in place if only their notes have changed.
    void setEntries(const QList<DatabaseEntry>& entries);
    const QList<DatabaseEntry>& entries() const { return entries_; }
    /// Row of a file, or -1.
    int rowOf(const QString& file) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    QList<DatabaseEntry> entries_;
};

/// Existence and size of a recent database; read on a pool thread.
struct DatabaseFacts {
    QString file;
    bool exists = false;
    quint64 bytes = 0;
};
QList<DatabaseFacts> factsOf(const QStringList& files);

/// Sections "Open" and "Recent"; open databases are left out of `recent`.
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

}  // namespace heddle::ui
