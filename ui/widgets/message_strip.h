// SPDX-License-Identifier: GPL-3.0-or-later
// A full-width message above what it is about: what, where, what is safe, what next. Never a modal for something that can wait.
#pragma once

#include <QFrame>
#include <QPointer>

class QAction;
class QHBoxLayout;
class QLabel;

namespace heddle::ui {

enum class StripKind { Ok, Info, Warn, Bad };

class MessageStrip : public QFrame {
    Q_OBJECT

public:
    explicit MessageStrip(QWidget* parent = nullptr);

    struct Message {
        StripKind kind = StripKind::Info;
        QString title = {};            ///< what happened, one line
        QString text = {};             ///< where, what is safe, what next; may be empty
        QList<QAction*> actions = {};  ///< the next steps, verbs; not owned
        QString key = {};              ///< for MessageList: its owner replaces or withdraws the message by it
        QList<QAction*> asides = {};   ///< further actions, which do not answer the message: it stays; not owned
    };
    /// Shows the message in place of the last one and tells screen readers.
    void showMessage(const Message& message);
    QString title() const;

Q_SIGNALS:
    void closed();  ///< the user closes the strip; emitted before the strip hides

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void rebuildActions(const QList<QAction*>& actions);
    void recolour();

    StripKind kind_ = StripKind::Info;
    QPointer<QWidget> before_;  ///< had the focus when the message came, and gets it back
    QLabel *icon_, *title_, *text_;
    QHBoxLayout* actionRow_;
};

}  // namespace heddle::ui
