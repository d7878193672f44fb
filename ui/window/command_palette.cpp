// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/command_palette.h"

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

namespace heddle::ui {
namespace {

constexpr int kRow = 26, kRows = 8;

/// Icon, title with the matched letters strong and underlined, context, shortcut on the right.
class CommandDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {px(300), px(kRow)}; }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const bool selected = option.state & QStyle::State_Selected;
        if (selected)
            painter->fillRect(option.rect, Theme::color(Token::Sel));
        else if (option.state & QStyle::State_MouseOver)
            painter->fillRect(option.rect, Theme::color(Token::Hover));
        const QRect row = option.rect.adjusted(px(10), 0, -px(10), 0);
        const auto icon = index.data(Qt::DecorationRole).value<QIcon>();
        icon.paint(painter, QRect(row.left(), row.center().y() - px(8) + 1, px(16), px(16)), Qt::AlignCenter,
                   selected ? QIcon::Selected : QIcon::Normal);
        const QString shortcut = index.data(CommandList::ShortcutRole).toString();
        painter->setFont(typeFont(Type::Caption));
        painter->setPen(Theme::color(selected ? Token::Onsel : Token::Text2));
        painter->drawText(row, Qt::AlignRight | Qt::AlignVCenter, shortcut);
        const int right = row.right() - painter->fontMetrics().horizontalAdvance(shortcut) - px(12);
        int x = row.left() + px(24);
        const QString title = index.data(Qt::DisplayRole).toString();
        const auto places = index.data(CommandList::PlacesRole).value<QList<int>>();
        painter->setPen(Theme::color(selected ? Token::Onsel : Token::Text));
        for (int i = 0; i < title.size() && x < right;) {
            const bool hit = places.contains(i);
            int end = i + 1;
            while (end < title.size() && places.contains(end) == hit) ++end;
            QFont face = hit ? strongFont(Type::Body) : typeFont(Type::Body);
            face.setUnderline(hit);
            painter->setFont(face);
            const QString part = painter->fontMetrics().elidedText(title.mid(i, end - i), Qt::ElideRight, right - x);
            painter->drawText(QRect(x, row.top(), right - x, row.height()), Qt::AlignVCenter | Qt::AlignLeft, part);
            x += painter->fontMetrics().horizontalAdvance(part);
            i = end;
        }
        painter->setFont(typeFont(Type::Caption));
        painter->setPen(Theme::color(selected ? Token::Onsel : Token::Text2));
        x += px(8);
        if (x < right)
            painter->drawText(
                QRect(x, row.top(), right - x, row.height()), Qt::AlignVCenter | Qt::AlignLeft,
                painter->fontMetrics().elidedText(index.data(CommandList::ContextRole).toString(), Qt::ElideRight, right - x));
    }
};

}  // namespace

CommandPalette::CommandPalette(QWidget* parent)
    : QDialog(parent, Qt::Popup | Qt::FramelessWindowHint),
      list_(new CommandList(this)),
      box_(new QLineEdit(this)),
      count_(new QLabel(box_)),
      view_(new QListView(this)) {
    setObjectName(QStringLiteral("palette"));
    setAccessibleName(tr("Command palette"));
    box_->setPlaceholderText(tr("Search commands, runs, blocks"));
    box_->setAccessibleName(tr("Search"));
    box_->addAction(themeIcon(Icon::Search, Token::Text2), QLineEdit::LeadingPosition);
    box_->setMinimumHeight(px(28));
    box_->installEventFilter(this);
    count_->setFont(numberFont(Type::Caption));
    auto* inside = new QHBoxLayout(box_);
    inside->setContentsMargins(0, 0, px(8), 0);
    inside->addStretch();
    inside->addWidget(count_);
    view_->setModel(list_);
    view_->setItemDelegate(new CommandDelegate(view_));
    view_->setFrameShape(QFrame::NoFrame);
    view_->setMouseTracking(true);
    view_->setUniformItemSizes(true);
    view_->setFocusPolicy(Qt::NoFocus);
    view_->setAccessibleName(tr("Commands"));
    view_->setFixedHeight(px(kRow * kRows));
    auto* hint = makeCaption(tr("Enter: carry out   > actions   # runs   @ blocks   ? help"), this);
    hint->setContentsMargins(px(8), px(4), px(8), px(6));
    count_->setForegroundRole(QPalette::PlaceholderText);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(1, px(6), 1, 1);
    column->setSpacing(px(6));
    auto* top = new QHBoxLayout;
    top->setContentsMargins(px(7), 0, px(7), 0);
    top->addWidget(box_);
    column->addLayout(top);
    column->addWidget(view_);
    column->addWidget(hint);
    connect(box_, &QLineEdit::textChanged, this, &CommandPalette::typed);
    connect(box_, &QLineEdit::returnPressed, this, &CommandPalette::runCurrent);
    connect(view_, &QListView::clicked, this, &CommandPalette::runCurrent);
}

void CommandPalette::offer(const QList<Command>& more) {
    const QWidget* window = parentWidget()->window();
    list_->setCommands(commandsOf(*window) + more);
    box_->clear();
    typed({});
    resize(std::min(px(600), std::max(px(320), window->width() - px(40))), sizeHint().height());
    move(window->mapToGlobal(QPoint((window->width() - width()) / 2, px(60))));
    show();
    box_->setFocus(Qt::ShortcutFocusReason);
}

void CommandPalette::typed(const QString& text) {
    list_->setPattern(text);
    count_->setText(tr("%1 of %2").arg(list_->rowCount()).arg(list_->total()));
    view_->setCurrentIndex(list_->index(0));
}

void CommandPalette::runCurrent() {
    const QModelIndex current = view_->currentIndex();
    if (!current.isValid()) return;
    const auto run = list_->command(current.row()).run;
    accept();  // first, because the command may open a window
    if (run) run();
}

void CommandPalette::moveBy(int rows) {
    if (list_->rowCount() == 0) return;
    const int row = std::clamp(view_->currentIndex().row() + rows, 0, list_->rowCount() - 1);
    view_->setCurrentIndex(list_->index(row));
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (watched == box_ && event->type() == QEvent::KeyPress) {
        switch (static_cast<QKeyEvent*>(event)->key()) {
        case Qt::Key_Down: return moveBy(1), true;
        case Qt::Key_Up: return moveBy(-1), true;
        case Qt::Key_PageDown: return moveBy(kRows), true;
        case Qt::Key_PageUp: return moveBy(-kRows), true;
        case Qt::Key_Tab:  // completes
            if (view_->currentIndex().isValid()) box_->setText(view_->currentIndex().data().toString());
            return true;
        default: break;
        }
    }
    return QDialog::eventFilter(watched, event);
}

void CommandPalette::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::color(Token::Panel));
    painter.setPen(Theme::color(Token::Border));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

}  // namespace heddle::ui
