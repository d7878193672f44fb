// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/table/tag_field.h"

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace heddle::ui {

QList<TagChip> tagChips(const QStringList& tags, const QRect& area, ChipKind kind) {
    QList<TagChip> chips;
    const int height = px(18), cross = kind == ChipKind::Editable ? px(16) : 0;
    int left = area.left();
    for (const QString& tag : tags) {
        const int width = textWidth(tag, typeFont(Type::Caption)) + px(12) + cross;
        const QRect rect(left, area.top() + (area.height() - height) / 2, width, height);
        chips << TagChip{tag, rect, QRect(rect.right() - cross + 1, rect.top(), cross, height)};
        left += width + px(4);
    }
    return chips;
}

int tagChipsWidth(const QStringList& tags, ChipKind kind) {
    const auto chips = tagChips(tags, QRect(), kind);
    return chips.isEmpty() ? 0 : chips.last().rect.right() + 1 + px(4);
}

void paintTagChip(QPainter& painter, const TagChip& chip, const ChipColours& colours) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(colours.edge);
    painter.setBrush(colours.fill);
    painter.drawRoundedRect(QRectF(chip.rect).adjusted(0.5, 0.5, -0.5, -0.5), px(2), px(2));
    painter.setFont(typeFont(Type::Caption));
    painter.setPen(colours.text);
    const QRect words = chip.rect.adjusted(px(6), 0, chip.cross.isEmpty() ? -px(6) : -chip.cross.width(), 0);
    painter.drawText(words, Qt::AlignVCenter | Qt::AlignLeft, chip.text);
    if (!chip.cross.isEmpty()) {
        const int side = px(10);
        painter.drawPixmap(chip.cross.center() - QPoint(side / 2, side / 2),
                           iconPixmap(Icon::Cross, colours.text, side, painter.device()->devicePixelRatioF()));
    }
    painter.restore();
}

QStringList tagsOf(const QStringList& words) {
    QStringList tags;
    for (const QString& some : words)
        for (const QString& word : some.split(QLatin1Char(',')))
            if (const QString tag = word.trimmed(); !tag.isEmpty() && !tags.contains(tag)) tags << tag;
    return tags;
}

TagField::TagField(QWidget* parent) : QLineEdit(parent) {
    setAccessibleName(tr("Tags"));
    setMouseTracking(true);
    connect(this, &QLineEdit::textEdited, this, [this](const QString& text) {
        chosen_ = -1;
        if (text.contains(QLatin1Char(','))) addTyped();
        update();
    });
    arrange();
}

void TagField::setTags(const QStringList& tags) {
    tags_ = tagsOf(tags);
    chosen_ = -1;
    clear();
    arrange();
}

QStringList TagField::tags() const { return tagsOf(tags_ + QStringList{text()}); }

void TagField::addTyped() {
    tags_ = tags();
    clear();
    arrange();
}

void TagField::remove(int chip) {
    tags_.removeAt(chip);
    chosen_ = -1;
    arrange();
}

/// Makes room for the chips before the text, but always leaves room to type.
void TagField::arrange() {
    const int chips = tagChipsWidth(tags_, ChipKind::Editable);
    setTextMargins(std::clamp(chips, 0, std::max(0, width() - px(90))), 0, 0, 0);
    setPlaceholderText(tags_.isEmpty() ? tr("Tags, with commas between") : tr("Add a tag"));
    setAccessibleDescription(chosen_ >= 0      ? tr("%1, Delete removes it").arg(tags_[chosen_])
                             : tags_.isEmpty() ? QString()
                                               : tags_.join(QStringLiteral(", ")));
    update();
}

QList<TagChip> TagField::chips() const {
    const int room = textMargins().left(), over = std::max(0, tagChipsWidth(tags_, ChipKind::Editable) - room);
    return tagChips(tags_, rect().adjusted(px(4) - over, 0, 0, 0), ChipKind::Editable);
}

void TagField::paintEvent(QPaintEvent* event) {
    QLineEdit::paintEvent(event);
    QPainter painter(this);
    painter.setClipRect(QRect(px(4), 0, textMargins().left(), height()));
    const QList<TagChip> all = chips();
    for (int i = 0; i < all.size(); ++i) {
        const bool chosen = i == chosen_;
        paintTagChip(painter, all[i],
                     {Theme::color(chosen ? Token::Sel : Token::Panel), Theme::color(chosen ? Token::Accent : Token::Border),
                      Theme::color(chosen ? Token::Onsel : Token::Text)});
    }
}

void TagField::resizeEvent(QResizeEvent* event) {
    QLineEdit::resizeEvent(event);
    arrange();
}

/// Handles a key that chooses or removes a chip; returns whether it did.
bool TagField::keyOnChips(const QKeyEvent& event) {
    if (tags_.isEmpty() || cursorPosition() > 0 || hasSelectedText() || event.modifiers() != Qt::NoModifier) return false;
    const int last = int(tags_.size()) - 1;
    switch (event.key()) {
    case Qt::Key_Left: chosen_ = chosen_ < 0 ? last : std::max(0, chosen_ - 1); break;
    case Qt::Key_Right:
        if (chosen_ < 0) return false;
        chosen_ = chosen_ == last ? -1 : chosen_ + 1;
        break;
    case Qt::Key_Backspace: remove(chosen_ < 0 ? last : chosen_); break;
    case Qt::Key_Delete:
        if (chosen_ < 0) return false;
        remove(chosen_);
        break;
    default: return false;
    }
    arrange();
    return true;
}

void TagField::keyPressEvent(QKeyEvent* event) {
    if (keyOnChips(*event)) return event->accept();
    QLineEdit::keyPressEvent(event);
}

int TagField::crossAt(const QPoint& at) const {
    const QList<TagChip> all = chips();
    for (int i = 0; i < all.size(); ++i)
        if (all[i].cross.contains(at) && at.x() >= px(4)) return i;
    return -1;
}

void TagField::mousePressEvent(QMouseEvent* event) {
    if (const int chip = crossAt(event->pos()); chip >= 0) return remove(chip);
    QLineEdit::mousePressEvent(event);
}

void TagField::mouseMoveEvent(QMouseEvent* event) {
    setCursor(event->pos().x() < textMargins().left() ? Qt::ArrowCursor : Qt::IBeamCursor);
    QLineEdit::mouseMoveEvent(event);
}

}  // namespace heddle::ui
