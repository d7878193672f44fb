// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/library/database_list.h"

#include "ui/pages/library/words.h"
#include "ui/text/units.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QFileInfo>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace heddle::ui {
namespace {

using Kind = DatabaseEntry::Kind;

Kind kindOf(const QModelIndex& index) { return Kind(index.data(DatabaseListModel::KindRole).toInt()); }

}  // namespace

void DatabaseListModel::setEntries(const QList<DatabaseEntry>& entries) {
    if (entries == entries_) return;
    const bool same = std::equal(entries.begin(), entries.end(), entries_.begin(), entries_.end(),
                                 [](const auto& a, const auto& b) { return a.file == b.file && a.kind == b.kind; });
    if (same) {
        entries_ = entries;
        Q_EMIT dataChanged(index(0), index(rowCount() - 1));
        return;
    }
    beginResetModel();
    entries_ = entries;
    endResetModel();
}

int DatabaseListModel::rowOf(const QString& file) const {
    for (int i = 0; i < entries_.size(); ++i)
        if (entries_[i].kind != Kind::Section && entries_[i].file == file) return i;
    return -1;
}

int DatabaseListModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(entries_.size()); }

QVariant DatabaseListModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const DatabaseEntry& entry = entries_[index.row()];
    switch (role) {
    case Qt::DisplayRole: return entry.title;
    case Qt::ToolTipRole: return entry.file;
    case Qt::AccessibleTextRole: return entry.note.isEmpty() ? entry.title : tr("%1, %2").arg(entry.title, entry.note);
    case KindRole: return int(entry.kind);
    case FileRole: return entry.file;
    case NoteRole: return entry.note;
    default: return {};
    }
}

Qt::ItemFlags DatabaseListModel::flags(const QModelIndex& index) const {
    if (!index.isValid() || entries_[index.row()].kind == Kind::Section) return Qt::NoItemFlags;
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
}

QList<DatabaseFacts> factsOf(const QStringList& files) {
    QList<DatabaseFacts> facts;
    for (const QString& file : files) {
        const QFileInfo info(file);
        facts << DatabaseFacts{file, info.isFile(), quint64(std::max<qint64>(0, info.size()))};
    }
    return facts;
}

QList<DatabaseEntry> databaseEntries(const QList<DatabaseEntry>& open, const QList<DatabaseFacts>& recent) {
    QList<DatabaseEntry> entries;
    if (!open.isEmpty()) entries << DatabaseEntry{Kind::Section, DatabaseListModel::tr("Open"), {}, {}} << open;
    bool first = true;
    for (const auto& facts : recent) {
        if (std::any_of(open.begin(), open.end(), [&](const auto& one) { return one.file == facts.file; })) continue;
        if (std::exchange(first, false)) entries << DatabaseEntry{Kind::Section, DatabaseListModel::tr("Recent"), {}, {}};
        const QFileInfo info(facts.file);
        const QString folder = withTilde(info.path());
        entries << (facts.exists ? DatabaseEntry{Kind::Recent, info.fileName(), facts.file,
                                                 DatabaseListModel::tr("%1, in %2").arg(byteSize(facts.bytes), folder)}
                                 : DatabaseEntry{Kind::Missing, info.fileName(), facts.file,
                                                 DatabaseListModel::tr("not found: %1").arg(folder)});
    }
    return entries;
}

QRect DatabaseDelegate::locateRect(const QRect& row) {
    const int width = textWidth(tr("Locate…"), typeFont(Type::Caption));
    return {row.right() - px(8) - width, row.top() + px(1), width, px(19)};
}

QRect DatabaseDelegate::forgetRect(const QRect& row) {
    const int width = textWidth(tr("Forget"), typeFont(Type::Caption));
    return {row.right() - px(8) - width, row.top() + px(20), width, px(19)};
}

bool DatabaseDelegate::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                                   const QModelIndex& index) {
    if (event->type() == QEvent::MouseButtonRelease && kindOf(index) == Kind::Missing) {
        const QPoint at = static_cast<QMouseEvent*>(event)->pos();
        if (locateRect(option.rect).contains(at)) Q_EMIT locateClicked();
        if (forgetRect(option.rect).contains(at)) Q_EMIT forgetClicked();
    }
    return QStyledItemDelegate::editorEvent(event, model, option, index);
}

QSize DatabaseDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
    return {px(160), kindOf(index) == Kind::Section ? px(22) : px(40)};
}

void DatabaseDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    painter->save();
    const QRect rect = option.rect;
    const QString title = index.data().toString();
    const auto draw = [&](const QRect& at, const QFont& font, const QColor& color, const QString& text) {
        painter->setFont(font);
        painter->setPen(color);
        painter->drawText(at, Qt::AlignVCenter | Qt::AlignLeft,
                          QFontMetrics(font).elidedText(text, Qt::ElideMiddle, at.width()));
    };
    if (kindOf(index) == Kind::Section) {
        painter->fillRect(rect, Theme::color(Token::Chrome));
        draw(rect.adjusted(px(8), 0, -px(8), 0), strongFont(Type::Caption), Theme::color(Token::Text2), title);
    } else {
        const bool selected = option.state & QStyle::State_Selected;
        const bool hovered = option.state & QStyle::State_MouseOver;
        painter->fillRect(rect, Theme::color(selected ? Token::Sel : hovered ? Token::Hover : Token::Base));
        const bool missing = kindOf(index) == Kind::Missing;
        const QColor strong = Theme::color(missing ? Token::Disabled : selected ? Token::Onsel : Token::Text);
        const QColor weak = Theme::color(selected ? Token::Onsel : Token::Text2);
        const qreal ratio = option.widget ? option.widget->devicePixelRatioF() : 1;
        painter->drawPixmap(rect.left() + px(8), rect.top() + px(5), iconPixmap(Icon::Library, strong, px(14), ratio));
        const QRect words = rect.adjusted(px(29), px(3), -px(8), -px(4));
        QRect first = words.adjusted(0, 0, 0, -words.height() / 2), second = words.adjusted(0, words.height() / 2, 0, 0);
        if (missing) {
            QFont underlined = typeFont(Type::Caption);
            underlined.setUnderline(true);
            const QColor link = Theme::color(selected ? Token::Onsel : Token::Link);
            draw(locateRect(rect), underlined, link, tr("Locate…"));
            draw(forgetRect(rect), underlined, link, tr("Forget"));
            first.setRight(locateRect(rect).left() - px(6));
            second.setRight(forgetRect(rect).left() - px(6));
        }
        draw(first, strongFont(Type::Body), strong, title);
        draw(second, typeFont(Type::Caption), weak, index.data(DatabaseListModel::NoteRole).toString());
        if (option.state & QStyle::State_HasFocus) {
            painter->setPen(Theme::color(Token::Accent));
            painter->drawRect(rect.adjusted(0, 0, -1, -1));
        }
    }
    painter->fillRect(rect.left(), rect.bottom(), rect.width(), 1, Theme::color(Token::Line));
    painter->restore();
}

}  // namespace heddle::ui
