// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/message_list.h"

#include "ui/theme/controls.h"
#include "ui/widgets/small_parts.h"

#include <QAction>
#include <QApplication>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace heddle::ui {
namespace {

constexpr std::size_t kMostVisible = 3;

}  // namespace

bool MessageList::Entry::isTransient() const {
    return message.actions.isEmpty() && message.sideActions.isEmpty() &&
           (message.kind == StripKind::Ok || message.kind == StripKind::Info);
}

MessageList::MessageList(QWidget* parent) : QWidget(parent), more_(new QPushButton(this)) {
    setObjectName(QStringLiteral("messages"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    more_->setObjectName(QStringLiteral("moreMessages"));
    more_->setFlat(true);
    setControlRole(*more_, ControlRole::Small);
    connect(more_, &QPushButton::clicked, this, [this] {
        showsAll_ = !showsAll_;
        arrange();
    });
    makeColumn(this)->addWidget(more_);
    arrange();
}

void MessageList::showMessage(const MessageStrip::Message& message) {
    removeTransient();
    Entry entry;
    entry.message = message;
    removeWhere([&](const Entry& old) {
        if (!message.key.isEmpty()) return old.message.key == message.key;
        const bool isEqual =
            old.message.key.isEmpty() && old.message.title == message.title && old.message.text == message.text;
        if (isEqual) entry.times = old.times + 1;
        return isEqual;
    });
    entry.strip = new MessageStrip(this);
    entry.shownFor.start();
    for (QAction* action : message.actions + message.sideActions)
        if (!action->parent()) action->setParent(entry.strip);
    for (QAction* action : message.actions)
        connect(action, &QAction::triggered, entry.strip, [this, strip = entry.strip] { answer(strip); });
    connect(entry.strip, &MessageStrip::closed, this, [this, strip = entry.strip] { answer(strip); });
    MessageStrip::Message shown = message;
    //: The title of a message and how often it was shown.
    if (entry.times > 1) shown.title = tr("%1 (%2 times)").arg(message.title, QString::number(entry.times));
    static_cast<QVBoxLayout*>(layout())->insertWidget(0, entry.strip);
    entry.strip->showMessage(shown);
    entries_.insert(entries_.begin(), std::move(entry));
    arrange();
}

void MessageList::withdraw(const QString& key) {
    removeWhere([&](const Entry& entry) { return entry.message.key == key; });
}

void MessageList::removeTransient() {
    removeWhere([this](const Entry& entry) { return entry.isTransient() && entry.shownFor.elapsed() > readingTime_.count(); });
}

QStringList MessageList::titles() const {
    QStringList titles;
    for (const Entry& entry : entries_) titles << entry.strip->title();
    return titles;
}

void MessageList::removeWhere(const std::function<bool(const Entry&)>& matches) {
    bool hadFocus = false;
    const auto removed = std::erase_if(entries_, [&](const Entry& entry) {
        if (!matches(entry)) return false;
        hadFocus |= entry.strip->isAncestorOf(QApplication::focusWidget());
        entry.strip->hide();
        entry.strip->deleteLater();  // one of its buttons may have been clicked
        return true;
    });
    if (removed > 0) arrange();
    if (hadFocus) Q_EMIT focusReleased();
}

void MessageList::answer(const MessageStrip* strip) {
    QString key;
    removeWhere([&](const Entry& entry) {
        if (entry.strip != strip) return false;
        key = entry.message.key;
        return true;
    });
    if (!key.isEmpty()) Q_EMIT answered(key);
}

/// The newest message is always visible; of the others, transient ones are hidden first.
void MessageList::arrange() {
    std::vector<const Entry*> order;
    for (const Entry& entry : entries_) order.push_back(&entry);
    if (!order.empty())
        std::stable_partition(order.begin() + 1, order.end(), [](const Entry* entry) { return !entry->isTransient(); });
    const int hidden = int(order.size()) - int(kMostVisible);
    if (hidden <= 0) showsAll_ = false;
    for (std::size_t i = 0; i < order.size(); ++i) order[i]->strip->setVisible(showsAll_ || i < kMostVisible);
    more_->setText(showsAll_ ? tr("Show fewer messages") : tr("%Ln more message(s)", nullptr, hidden));
    more_->setVisible(hidden > 0);
    setVisible(!entries_.empty());
}

}  // namespace heddle::ui
