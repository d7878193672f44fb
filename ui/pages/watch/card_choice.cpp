// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/watch/card_choice.h"

#include "ui/theme/controls.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QAction>
#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>

#include <algorithm>

namespace heddle::ui::watch {

CardChoice::CardChoice(const QList<Panel*>& cards, QWidget* parent) : QWidget(parent), cards_(cards) {
    setFixedHeight(px(26));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(px(4), 0, px(4), 0);
    row->setSpacing(px(8));
    for (Panel* card : cards_) {
        auto* action = new QAction(card->title(), this);
        action->setCheckable(true);
        action->setChecked(true);
        action->setToolTip(tr("Show %1 on this page").arg(card->title()));
        actions_.append(action);
        connect(action, &QAction::toggled, this, [this, card](bool on) {
            if (on) opened_.insert(card);  // a card that the user shows says at least why it is empty
            fill();
        });
        auto* entry = new QToolButton(this);
        entry->setAutoRaise(true);
        entry->setFont(typeFont(Type::Caption));
        entry->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        entry->setIcon(themeIcon(Icon::ChevronRight, Token::Text2));
        setControlRole(*entry, ControlRole::Small);
        entries_.append(entry);
        row->addWidget(entry);
        connect(entry, &QToolButton::clicked, this, [this, card] {
            opened_.insert(card);
            fill();
        });
        connect(card, &Panel::emptyReasonChanged, this, [this, card] {
            opened_.erase(card);
            fill();
        });
    }
    row->addStretch();
    fill();
}

bool CardChoice::isChosen(const Panel* card) const { return actions_[cards_.indexOf(card)]->isChecked(); }

bool CardChoice::isFolded(const Panel* card) const {
    return isChosen(card) && !card->emptyReason().isEmpty() && !opened_.contains(card);
}

bool CardChoice::isShown(const Panel* card) const { return isChosen(card) && !isFolded(card); }

bool CardChoice::hasFolded() const {
    return std::any_of(cards_.begin(), cards_.end(), [this](const Panel* card) { return isFolded(card); });
}

void CardChoice::fill() {
    for (qsizetype i = 0; i < cards_.size(); ++i) {
        const Panel& card = *cards_[i];
        entries_[i]->setVisible(isFolded(&card));
        entries_[i]->setText(tr("%1: %2").arg(card.title(), card.emptyReason()));
        entries_[i]->setAccessibleName(entries_[i]->text());
        entries_[i]->setToolTip(tr("Open %1").arg(card.title()));
    }
    Q_EMIT changed();
}

CardChoice::Choice CardChoice::choice() const {
    Choice choice;
    for (const Panel* card : cards_) {
        if (!isChosen(card)) choice.hidden << card->objectName();
        if (opened_.contains(card)) choice.opened << card->objectName();
    }
    return choice;
}

void CardChoice::choose(const Choice& choice) {
    for (qsizetype i = 0; i < cards_.size(); ++i) actions_[i]->setChecked(!choice.hidden.contains(cards_[i]->objectName()));
    opened_.clear();
    for (const Panel* card : cards_)
        if (choice.opened.contains(card->objectName())) opened_.insert(card);
    fill();
}

void CardChoice::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::color(Token::Chrome));
    painter.fillRect(0, 0, width(), 1, Theme::color(Token::Line));
}

}  // namespace heddle::ui::watch
