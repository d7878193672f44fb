// SPDX-License-Identifier: GPL-3.0-or-later
// The messages of the window, the newest on top.
#pragma once

#include "ui/widgets/message_strip.h"

#include <QElapsedTimer>
#include <QWidget>

#include <chrono>
#include <functional>
#include <vector>

class QPushButton;

namespace heddle::ui {

/// Messages of success and information without actions are transient: removeTransient() removes them. All others stay until the
/// user closes them or triggers one of their actions (not of their sideActions), or their owner withdraws them. At most three
/// messages are visible; a button below them shows the number of the others and all of them.
class MessageList : public QWidget {
    Q_OBJECT

public:
    explicit MessageList(QWidget* parent = nullptr);

    /// Adds a message on top. It replaces the message with the same key, or an equal one without a key, whose repetitions are
    /// counted. The list takes ownership of actions without a parent.
    void showMessage(const MessageStrip::Message& message);
    /// Removes the message with this key, if there is one.
    void withdraw(const QString& key);
    /// Removes transient messages that were shown for some seconds.
    void removeTransient();
    void setReadingTime(std::chrono::milliseconds time) { readingTime_ = time; }
    /// The titles, the newest first.
    QStringList titles() const;

Q_SIGNALS:
    /// The user has closed the message with this key or triggered one of its actions.
    void answered(const QString& key);
    /// A message that had the focus was removed.
    void focusReleased();

private:
    struct Entry {
        MessageStrip::Message message;
        MessageStrip* strip = nullptr;
        int times = 1;
        QElapsedTimer shownFor = {};

        bool isTransient() const;
    };
    void removeWhere(const std::function<bool(const Entry&)>& matches);
    void answer(const MessageStrip* strip);
    void arrange();

    std::vector<Entry> entries_;  ///< the newest first
    QPushButton* more_;
    bool showsAll_ = false;
    std::chrono::milliseconds readingTime_{3000};
};

}  // namespace heddle::ui
