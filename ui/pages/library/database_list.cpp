// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/library/database_list.h"

#include "ui/pages/database_dialog.h"
#include "ui/text/units.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/widgets/settings_dialog.h"
#include "ui/widgets/small_parts.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QListView>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace heddle::ui {
namespace {

using Kind = DatabaseEntry::Kind;

Kind kindOf(const QModelIndex& index) { return Kind(index.data(DatabaseListModel::KindRole).toInt()); }

}  // namespace

void DatabaseListModel::setEntries(const QList<DatabaseEntry>& entries) {
    setRowCount(int(entries.size()));
    for (int row = 0; row < rowCount(); ++row) {
        const DatabaseEntry& entry = entries[row];
        if (!item(row)) setItem(row, new QStandardItem);
        QStandardItem& shown = *item(row);
        shown.setText(entry.title);
        shown.setToolTip(entry.file);
        //: A database and facts about it.
        shown.setAccessibleText(entry.note.isEmpty() ? entry.title : tr("%1, %2").arg(entry.title, entry.note));
        shown.setData(int(entry.kind), KindRole);
        shown.setData(entry.file, FileRole);
        shown.setData(entry.note, NoteRole);
        shown.setFlags(entry.kind == Kind::Section ? Qt::NoItemFlags : Qt::ItemIsEnabled | Qt::ItemIsSelectable);
    }
}

int DatabaseListModel::rowOf(const QString& file) const {
    for (int row = 0; row < rowCount(); ++row)
        if (!file.isEmpty() && item(row)->data(FileRole) == file) return row;
    return -1;
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
    //: The header of the open databases.
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

QRect DatabaseDelegate::removeRect(const QRect& row) {
    const int width = textWidth(tr("Remove"), typeFont(Type::Caption));
    return {row.right() - px(8) - width, row.top() + px(20), width, px(19)};
}

bool DatabaseDelegate::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                                   const QModelIndex& index) {
    if (event->type() == QEvent::MouseButtonRelease && kindOf(index) == Kind::Missing) {
        const QPoint at = static_cast<QMouseEvent*>(event)->pos();
        if (locateRect(option.rect).contains(at)) Q_EMIT locateClicked();
        if (removeRect(option.rect).contains(at)) Q_EMIT removeClicked();
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
            draw(removeRect(rect), underlined, link, tr("Remove"));
            first.setRight(locateRect(rect).left() - px(6));
            second.setRight(removeRect(rect).left() - px(6));
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

DatabaseList::DatabaseList(Studio& studio, QWidget* parent)
    : QWidget(parent),
      studio_(studio),
      model_(new DatabaseListModel(this)),
      view_(new QListView(this)),
      reading_(this, [this](Result<QList<DatabaseFacts>> facts) {
          if (!facts) return studio_.report(facts.problem());
          take(*facts);
      }) {
    view_->setModel(model_);
    view_->setFrameShape(QFrame::NoFrame);
    view_->setObjectName(QStringLiteral("databaseList"));
    view_->setAccessibleName(tr("Databases"));
    view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view_->setMouseTracking(true);
    view_->setContextMenuPolicy(Qt::ActionsContextMenu);
    buildActions();
    auto* delegate = new DatabaseDelegate(view_);
    view_->setItemDelegate(delegate);
    connect(delegate, &DatabaseDelegate::locateClicked, locate_, &QAction::trigger, Qt::QueuedConnection);
    connect(delegate, &DatabaseDelegate::removeClicked, remove_, &QAction::trigger, Qt::QueuedConnection);
    QVBoxLayout* column = makeColumn(this);
    column->addWidget(view_, 1);
    auto* buttons = new QHBoxLayout;
    buttons->setContentsMargins(px(8), px(6), px(8), px(6));
    buttons->setSpacing(px(8));
    auto* open = new QPushButton(themeIcon(Icon::Folder), tr("Open…"), this);
    auto* create = new QPushButton(themeIcon(Icon::Plus), tr("New…"), this);
    open->setObjectName(QStringLiteral("openFile"));
    create->setObjectName(QStringLiteral("newFile"));
    buttons->addWidget(open);
    buttons->addWidget(create);
    buttons->addStretch(1);
    column->addLayout(buttons);
    connect(open, &QPushButton::clicked, this, [this] { openDatabaseDialog(studio_, DatabaseDialog::Existing, this); });
    connect(create, &QPushButton::clicked, this, [this] { openDatabaseDialog(studio_, DatabaseDialog::Create, this); });
    connect(view_, &QListView::doubleClicked, this, &DatabaseList::openChosen);
    connect(view_->selectionModel(), &QItemSelectionModel::currentChanged, this, &DatabaseList::updateActions);
    Databases& databases = studio.databases();
    connect(&databases, &Databases::opened, this, [this](int number) {
        addRecentDatabase(studio_.settings(), studio_.databases().find(number)->file());
        refresh();
    });
    connect(&databases, &Databases::closed, this, &DatabaseList::refresh);
    updateActions();
}

void DatabaseList::buildActions() {
    const auto add = [this](const char* name, Icon icon, const QString& text, const QKeySequence& key,
                            void (DatabaseList::*does)()) {
        QAction* action = makeAction(this, {name, text, icon, key, {}, Qt::WidgetShortcut}, [this, does] { (this->*does)(); });
        view_->addAction(action);
        return action;
    };
    open_ = add("openDatabase", Icon::Folder, tr("Open this database"), {}, &DatabaseList::openChosen);
    open_->setShortcuts({Qt::Key_Return, Qt::Key_Enter});
    beside_ =
        add("openBeside", Icon::Folder, tr("Open in addition"), Qt::SHIFT | Qt::Key_Return, &DatabaseList::openChosenBeside);
    close_ = add("closeDatabase", Icon::Cross, tr("Close database"), Qt::CTRL | Qt::Key_W, &DatabaseList::closeChosen);
    locate_ = add("locateDatabase", Icon::Search, tr("Locate…"), Qt::CTRL | Qt::Key_L, &DatabaseList::locateChosen);
    remove_ = add("removeDatabase", Icon::Cross, tr("Remove from list"), Qt::Key_Delete, &DatabaseList::removeChosen);
}

void DatabaseList::updateActions() {
    using enum DatabaseEntry::Kind;
    const auto kind = chosenKind();
    open_->setText(kind == Open ? tr("Make current") : tr("Open this database"));
    open_->setEnabled(kind == Open || kind == Recent);
    close_->setEnabled(kind == Open || kind == Current);
    locate_->setEnabled(kind == Missing);
    remove_->setEnabled(kind == Recent || kind == Missing);
}

void DatabaseList::refresh() {
    QStringList files = recentDatabases(studio_.settings());
    for (const RunDatabase* one : studio_.databases().all())
        if (one->isOpen() && !files.contains(one->file())) files << one->file();
    reading_.ask(Pool{}, [files] { return factsOf(files); });
}

void DatabaseList::take(const QList<DatabaseFacts>& facts) {
    const Databases& databases = studio_.databases();
    QList<DatabaseEntry> open;
    for (const RunDatabase* one : databases.all()) {
        if (!one->isOpen()) continue;
        const bool isCurrent = one == databases.current();
        const auto kind = isCurrent ? DatabaseEntry::Kind::Current : DatabaseEntry::Kind::Open;
        QString note = tr("%Ln run(s)", nullptr, int(one->runs().size()));
        if (isCurrent && databases.all().size() > 1) note = tr("current, %1").arg(note);
        for (const DatabaseFacts& file : facts)
            //: Facts about a database: the number of its runs and its size.
            if (file.file == one->file()) note = tr("%1, %2").arg(note, byteSize(file.bytes));
        open << DatabaseEntry{kind, one->name(), one->file(), note};
    }
    const QString chosen = chosenFile();
    model_->setEntries(databaseEntries(open, facts));
    const int kept = model_->rowOf(chosen), row = kept >= 0 ? kept : model_->rowOf(databases.currentFile());
    if (row >= 0) view_->setCurrentIndex(model_->index(row, 0));
    updateActions();
}

DatabaseEntry::Kind DatabaseList::chosenKind() const { return kindOf(view_->currentIndex()); }

QString DatabaseList::chosenFile() const { return view_->currentIndex().data(DatabaseListModel::FileRole).toString(); }

RunDatabase* DatabaseList::chosenDatabase() const {
    const QString file = chosenFile();
    for (RunDatabase* open : studio_.databases().all())
        if (open->file() == file && !file.isEmpty()) return open;
    return nullptr;
}

void DatabaseList::openChosen() {
    const auto kind = chosenKind();
    if (kind == Kind::Recent) return studio_.open(chosenFile());
    if (kind == Kind::Missing) locateChosen();
    if (const RunDatabase* open = chosenDatabase()) studio_.databases().setCurrent(open->number());
}

/// Asks for a file unless a recent database is chosen.
void DatabaseList::openChosenBeside() {
    if (chosenKind() == Kind::Recent) return studio_.openBeside(chosenFile());
    openDatabaseDialog(studio_, DatabaseDialog::Beside, this);
}

/// Training in it goes on.
void DatabaseList::closeChosen() {
    if (const RunDatabase* open = chosenDatabase()) studio_.databases().close(open->number());
}

void DatabaseList::removeChosen() {
    removeRecentDatabase(studio_.settings(), chosenFile());
    refresh();
}

/// Asks for the new place of a recent database, beginning in the nearest folder that still exists.
void DatabaseList::locateChosen() {
    const QString missing = chosenFile();
    QFileInfo folder(QFileInfo(missing).path());
    while (!folder.isDir() && !folder.isRoot()) folder = QFileInfo(folder.path());
    QFileDialog* dialog = makeDatabaseDialog(tr("Locate %1").arg(QFileInfo(missing).fileName()), folder.filePath(), this);
    connect(dialog, &QFileDialog::fileSelected, this, [this, missing](const QString& found) { replaceWith(missing, found); });
    dialog->open();
}

/// Opens the file that was found, and removes the entry of the missing file when it is open.
void DatabaseList::replaceWith(const QString& missing, const QString& found) {
    auto* waiting = new QObject(this);
    connect(&studio_.databases(), &Databases::failed, waiting, &QObject::deleteLater);
    connect(&studio_.databases(), &Databases::opened, waiting, [this, waiting, missing, found] {
        waiting->deleteLater();
        if (QFileInfo(studio_.databases().currentFile()) != QFileInfo(found)) return;
        removeRecentDatabase(studio_.settings(), missing);
        refresh();
    });
    studio_.open(found);
}

}  // namespace heddle::ui
