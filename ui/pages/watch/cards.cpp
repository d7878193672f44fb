// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/watch/cards.h"

#include "ui/panels/attention_panel.h"
#include "ui/panels/gates_panel.h"
#include "ui/panels/sparsity_panel.h"
#include "ui/theme/controls.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <QAction>
#include <QBoxLayout>
#include <QDataStream>
#include <QPainter>
#include <QSplitter>
#include <QToolButton>

#include <algorithm>

namespace heddle::ui::watch {
CardChoice::CardChoice(const QList<Panel*>& cards, QWidget* parent) : QWidget(parent), cards_(cards) {
    setFixedHeight(px(26));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(px(4), 0, px(4), 0);
    row->setSpacing(px(8));
    for (Panel* card : cards_) {
        const QByteArray name = card->objectName().toLatin1();
        QAction* action =
            makeAction(this, {name.constData(), card->title(), {}, {}, tr("Show %1 on this page").arg(card->title())});
        action->setCheckable(true);
        action->setChecked(true);
        actions_.append(action);
        connect(action, &QAction::toggled, this, [this, card](bool on) {
            if (on) opened_.insert(card);  // not folded: it shows at least why it is empty
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
        //: A card and the reason why it is empty.
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

Cards::Cards(Studio& studio, const RunDetails& details, WatchBar& bar, QWidget* parent)
    : QWidget(parent),
      curves_(new RunCurves(studio, details, bar, this)),
      attention_(new AttentionPanel(studio.databases(), QStringLiteral("watch"), this)),
      lower_(new QSplitter(Qt::Horizontal, this)),
      both_(new QSplitter(Qt::Vertical, this)),
      ignoreOutliers_(curves_->loss().plot().makeOutlierAction(this)) {
    group_.setPanels({&curves_->loss(), &curves_->accuracy(), attention_,
                      new GatesPanel(studio.databases(), QStringLiteral("watch"), this),
                      new SparsityPanel(studio.databases(), this)});
    const QStringList names{QStringLiteral("loss"), QStringLiteral("accuracy"), QStringLiteral("attention"),
                            QStringLiteral("gates"), QStringLiteral("sparsity")};
    for (qsizetype i = 0; i < names.size(); ++i) group_.panels()[i]->setObjectName(names[i]);
    choice_ = new CardChoice(group_.panels(), this);
    for (Panel* card : group_.panels().mid(2)) lower_->addWidget(card);
    lower_->setSizes({px(440), px(480), px(202)});
    both_->addWidget(curves_);
    both_->addWidget(lower_);
    both_->setSizes({px(360), px(400)});
    for (QSplitter* splitter : {lower_, both_}) splitter->setChildrenCollapsible(false);
    QVBoxLayout* column = makeColumn(this);
    column->addWidget(both_, 1);
    column->addWidget(choice_);
    connect(&group_, &PanelGroup::expandedChanged, this, &Cards::arrange);
    connect(choice_, &CardChoice::changed, this, &Cards::arrange);
    connect(&group_, &PanelGroup::failed, this, [&studio](const Problem& problem) { studio.report(problem); });
    arrange();
}

const QList<QAction*>& Cards::choices() const { return choice_->actions(); }

void Cards::setSubject(const Subject& subject) {
    for (Panel* panel : group_.panels()) panel->setSubject(subject);
}

void Cards::writeArrangement(QDataStream& stream) const {
    const CardChoice::Choice cards = choice_->choice();
    stream << curves_->splitter().saveState() << lower_->saveState() << both_->saveState() << cards.hidden << cards.opened;
}

void Cards::readArrangement(QDataStream& stream) {
    QByteArray upper, lower, both;
    stream >> upper >> lower >> both;
    if (stream.status() != QDataStream::Ok) return;
    curves_->splitter().restoreState(upper);
    lower_->restoreState(lower);
    both_->restoreState(both);
    CardChoice::Choice cards;
    stream >> cards.hidden >> cards.opened;
    if (stream.status() == QDataStream::Ok) choice_->choose(cards);  // older arrangements have no cards
}

/// Shows the expanded card only, or all cards that are chosen and not folded.
void Cards::arrange() {
    const Panel* const alone = group_.expanded();
    const auto isShown = [&](const Panel* card) { return alone ? card == alone : choice_->isShown(card); };
    const auto showsAny = [&](const QList<Panel*>& cards) { return std::any_of(cards.begin(), cards.end(), isShown); };
    for (Panel* card : group_.panels()) card->setVisible(isShown(card));
    curves_->setVisible(showsAny(group_.panels().first(2)));
    lower_->setVisible(showsAny(group_.panels().mid(2)));
    choice_->setVisible(!alone && choice_->hasFolded());
}

}  // namespace heddle::ui::watch
