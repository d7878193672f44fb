// SPDX-License-Identifier: GPL-3.0-or-later
// A message across the full width instead of a modal dialog: what happened, where, what is safe, and what to do next.
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
        QString title = {};                ///< what happened, in one line
        QString text = {};                 ///< where, what is safe, what next; may be empty
        QList<QAction*> actions = {};      ///< verbs for the next steps; not owned
        QString key = {};                  ///< by which its owner replaces or withdraws the message in a MessageList
        QList<QAction*> sideActions = {};  ///< further actions, after which the message stays; not owned
    };
    /// Shows the message instead of the last one and notifies screen readers.
    void showMessage(const Message& message);
    QString title() const;

Q_SIGNALS:
    void closed();  ///< the user closes the message; emitted before it is hidden

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void rebuildActions(const QList<QAction*>& actions);
    void recolour();

    StripKind kind_ = StripKind::Info;
    QPointer<QWidget> before_;  ///< had the focus before the message was shown, and gets it back
    QLabel *icon_, *title_, *text_;
    QHBoxLayout* actionRow_;
};

}  // namespace heddle::ui
