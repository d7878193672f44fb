// SPDX-License-Identifier: GPL-3.0-or-later
// What the palette offers: the actions of the window and of the page that it shows, and runs, blocks, help as their owners add
// them.
#pragma once

#include "ui/window/command_score.h"

#include <QAbstractListModel>
#include <QIcon>
#include <QPointer>

#include <functional>

class QAction;
class QWidget;

namespace heddle::ui {

/// A first letter chooses one kind: > actions, # runs, @ blocks, ? help.
enum class CommandKind { Action, Run, Block, Help };

struct Command {
    QString title;    ///< without mnemonic
    QString context;  ///< "Inspect, decoder.layers.1.cross 2"
    QString shortcut;
    QIcon icon;
    CommandKind kind = CommandKind::Action;
    std::function<void()> run;
};

/// The text of an action without its mnemonic.
QString plainText(const QAction& action);

/// Every enabled, visible, named action of the window `root` and of the page that it shows, menus included, each once; context
/// is the menu it stands in.
QList<Command> commandsOf(const QWidget& root);

/// The commands that fit what is typed, best first: those with words that begin as it was typed before those that have it
/// inside, and among each of them actions before runs, blocks and help.
class CommandList : public QAbstractListModel {
    Q_OBJECT

public:
    using QAbstractListModel::QAbstractListModel;
    enum Role { ContextRole = Qt::UserRole, ShortcutRole, PlacesRole };

    void setCommands(QList<Command> commands);
    void setPattern(const QString& pattern);
    int total() const { return int(commands_.size()); }
    const Command& command(int row) const { return commands_[hits_[row].command]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    struct Hit {
        int command;
        Match match;
    };
    QList<Command> commands_;
    QList<Hit> hits_;
    QString pattern_;
};

}  // namespace heddle::ui
