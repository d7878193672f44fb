// SPDX-License-Identifier: GPL-3.0-or-later
// The entries of the palette: actions of the window and of the shown page, runs, blocks and help sections.
#pragma once

#include <QAbstractListModel>
#include <QIcon>

#include <functional>
#include <optional>

class QAction;
class QWidget;

namespace heddle::ui {

struct Match {
    int score = 0;
    QList<int> places;  ///< of the matched letters in the title, ascending
};

/// Whether a word begins at this place of the title.
bool startsWord(const QString& title, int place);

/// All letters of `pattern` must occur in order, spaces and case ignored. Runs of letters, beginnings of words, the beginning
/// of the title and short titles count more: "mut" prefers "Mute head" to "Unmute all" to "Permutation test" to "Make unit
/// test". An empty pattern fits everything with 0.
std::optional<Match> matchLetters(const QString& pattern, const QString& title);

/// A first letter chooses one kind: > actions, # runs, @ blocks, ? help.
enum class CommandKind { Action, Run, Block, Help };

struct Command {
    QString title;    ///< without mnemonic
    QString context;  ///< the menu or panel of an action, the state of a run
    QString shortcut;
    QIcon icon;
    CommandKind kind = CommandKind::Action;
    std::function<void()> run;
};

/// The text of an action without its mnemonic.
QString plainText(const QAction& action);

/// Every enabled and visible action with a text of the window `root` and of the page that it shows, menus included, each once.
/// The context is its menu or panel.
QList<Command> commandsOf(const QWidget& root);

/// The commands that match the typed pattern, best first: matches at the beginnings of words before matches inside words, and
/// within each of them actions before runs, blocks and help.
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
