// SPDX-License-Identifier: GPL-3.0-or-later
// The messages of the window: strips below each other, the newest on top.
#pragma once

#include "ui/widgets/message_strip.h"

#include <QElapsedTimer>
#include <QWidget>

#include <chrono>
#include <functional>
#include <vector>

class QPushButton;

namespace heddle::ui {

/// Messages of success and information without actions are news, which hideWhenRead() removes. All others stay until they are
/// closed, one of their actions (not of their asides) is triggered, or their owner withdraws them. At most three strips are
/// visible; a line below them counts the others and shows all.
class MessageList : public QWidget {
    Q_OBJECT

public:
    explicit MessageList(QWidget* parent = nullptr);

    /// Adds a message on top. It replaces the message with the same key; an equal one without a key is counted. The list owns
    /// actions without a parent.
    void showMessage(const MessageStrip::Message& message);
    /// Removes the message with this key, if there is one.
    void withdraw(const QString& key);
    /// Removes news that has stood for some seconds.
    void hideWhenRead();
    void setReadAfter(std::chrono::milliseconds time) { readAfter_ = time; }
    /// The titles, the newest first.
    QStringList titles() const;

Q_SIGNALS:
    /// The user has closed the message with this key or triggered one of its actions.
    void answered(const QString& key);
    /// A message that had the focus is gone.
    void focusReleased();

private:
    struct Entry {
        MessageStrip::Message message;
        MessageStrip* strip = nullptr;
        int times = 1;
        QElapsedTimer shownFor = {};

        bool isNews() const;
    };
    void removeWhere(const std::function<bool(const Entry&)>& matches);
    void answer(const MessageStrip* strip);
    void arrange();

    std::vector<Entry> entries_;  ///< the newest first
    QPushButton* more_;
    bool showsAll_ = false;
    std::chrono::milliseconds readAfter_{3000};
};

}  // namespace heddle::ui
