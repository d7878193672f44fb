// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/command_list.h"

#include "ui/pages/page.h"

#include <QAction>
#include <QDockWidget>
#include <QMenu>
#include <QPointer>
#include <QSet>
#include <QWidget>

#include <algorithm>
#include <tuple>
#include <vector>

namespace heddle::ui {
namespace {

// Two first letters of words count more than two neighbours inside a word; three neighbours more than three first letters.
constexpr int kLetter = 1, kRun = 12, kWordStart = 7, kTitleStart = 4, kNever = -1'000'000;

std::optional<CommandKind> kindOf(QChar first) {
    switch (first.unicode()) {
    case '>': return CommandKind::Action;
    case '#': return CommandKind::Run;
    case '@': return CommandKind::Block;
    case '?': return CommandKind::Help;
    default: return std::nullopt;
    }
}

void collect(const QList<QAction*>& actions, const QString& context, QSet<const QAction*>& seen, QList<Command>& found) {
    for (QAction* action : actions) {
        if (seen.contains(action)) continue;
        seen.insert(action);
        const QString title = plainText(*action);
        if (const QMenu* menu = action->menu()) {
            collect(menu->actions(), context.isEmpty() ? title : context + QStringLiteral(", ") + title, seen, found);
            continue;
        }
        if (action->isSeparator() || title.isEmpty() || !action->isEnabled() || !action->isVisible()) continue;
        const QPointer<QAction> target(action);
        found.append({title, context, action->shortcut().toString(QKeySequence::NativeText), action->icon(),
                      CommandKind::Action, [target] {
                          if (target) target->trigger();
                      }});
    }
}

/// False for widgets of a hidden page and of another window; a floating panel belongs to its page.
bool isOffered(const QWidget& widget, const QWidget& root) {
    for (const QWidget* at = &widget; at && at != &root; at = at->parentWidget()) {
        if (at->isWindow() && !qobject_cast<const QDockWidget*>(at)) return false;
        if (const auto* page = qobject_cast<const Page*>(at)) return page->isVisibleTo(&root);
    }
    return true;
}

enum class Fit { Inside, Words, Phrase };

/// Phrase: the title contains the pattern from the beginning of a word on. Words: the pattern consists of beginnings of words
/// ("mh" of "Mute head").
Fit fitOf(const QString& title, const QList<int>& places) {
    if (places.isEmpty() || !startsWord(title, places[0])) return Fit::Inside;
    Fit fit = Fit::Phrase;
    for (qsizetype i = 1; i < places.size(); ++i) {
        const int before = places[i - 1] + 1;
        if (title.mid(before, places[i] - before).trimmed().isEmpty()) continue;
        if (!startsWord(title, places[i])) return Fit::Inside;
        fit = Fit::Words;
    }
    return fit;
}

}  // namespace

bool startsWord(const QString& title, int place) {
    if (place == 0) return true;
    const QChar before = title[place - 1], here = title[place];
    return !before.isLetterOrNumber() || (before.isLower() && here.isUpper());
}

std::optional<Match> matchLetters(const QString& pattern, const QString& title) {
    QString letters = pattern.toCaseFolded();
    letters.removeIf([](QChar c) { return c.isSpace(); });
    if (letters.isEmpty()) return Match{};
    const int m = int(letters.size()), n = int(title.size());
    if (m > n) return std::nullopt;
    // best[i][j]: letters 0 … i placed, letter i at j. Titles are short; the table is small.
    std::vector<std::vector<int>> best(std::size_t(m), std::vector<int>(std::size_t(n), kNever)), from = best;
    for (int i = 0; i < m; ++i)
        for (int j = i; j < n; ++j) {
            if (title[j].toCaseFolded() != letters[i]) continue;
            const int own = kLetter + (startsWord(title, j) ? kWordStart : 0) + (j == 0 ? kTitleStart : 0);
            int& here = best[std::size_t(i)][std::size_t(j)];
            if (i == 0) {
                here = own;
                continue;
            }
            for (int k = i - 1; k < j; ++k) {
                const int before = best[std::size_t(i - 1)][std::size_t(k)];
                if (before == kNever) continue;
                const int score = before + own + (k == j - 1 ? kRun : -std::min(3, j - k - 1));
                if (score > here) here = score, from[std::size_t(i)][std::size_t(j)] = k;
            }
        }
    const auto& last = best.back();
    const auto end = std::max_element(last.begin(), last.end());
    if (*end == kNever) return std::nullopt;
    Match result{*end * 4 - std::min(40, n), {}};  // of equals, the shorter title
    for (int i = m - 1, j = int(end - last.begin()); i >= 0; j = from[std::size_t(i)][std::size_t(j)], --i)
        result.places.prepend(j);
    return result;
}

QString plainText(const QAction& action) {
    QString text = action.text();
    text.replace(QLatin1String("&&"), QString(QChar(1)));
    text.remove(QLatin1Char('&'));
    return text.replace(QChar(1), QLatin1Char('&'));
}

QList<Command> commandsOf(const QWidget& root) {
    QList<Command> found;
    QSet<const QAction*> seen;
    QList<const QWidget*> widgets{&root};
    for (const QWidget* child : root.findChildren<QWidget*>())
        if (!qobject_cast<const QMenu*>(child) && isOffered(*child, root))
            widgets.append(child);  // menus are found through their bar, which gives their context
    // Menu bars first, because their context is better.
    std::stable_partition(widgets.begin(), widgets.end(), [](const QWidget* widget) { return widget->inherits("QMenuBar"); });
    for (const QWidget* widget : widgets) {
        const bool bar = widget->inherits("QMenuBar") || widget == &root;
        collect(widget->actions(), bar ? QString() : widget->windowTitle(), seen, found);
    }
    return found;
}

void CommandList::setCommands(QList<Command> commands) {
    beginResetModel();
    commands_ = std::move(commands);
    hits_.clear();
    endResetModel();
    setPattern(pattern_);
}

void CommandList::setPattern(const QString& pattern) {
    beginResetModel();
    pattern_ = pattern;
    hits_.clear();
    const QString typed = pattern.trimmed();
    const std::optional<CommandKind> kind = typed.isEmpty() ? std::nullopt : kindOf(typed[0]);
    const QString letters = kind ? typed.mid(1) : typed;
    for (int i = 0; i < commands_.size(); ++i) {
        if (kind && commands_[i].kind != *kind) continue;
        if (auto hit = matchLetters(letters, commands_[i].title)) hits_.append({i, std::move(*hit)});
    }
    // Beginnings of words before letters inside them, then actions before runs before blocks before help.
    const auto rank = [this](const Hit& hit) {
        const Command& command = commands_[hit.command];
        return std::tuple(fitOf(command.title, hit.match.places), -int(command.kind), hit.match.score);
    };
    std::stable_sort(hits_.begin(), hits_.end(), [&](const Hit& a, const Hit& b) { return rank(a) > rank(b); });
    endResetModel();
}

int CommandList::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(hits_.size()); }

QVariant CommandList::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= hits_.size()) return {};
    const Command& shown = command(index.row());
    switch (role) {
    case Qt::DisplayRole: return shown.title;
    case Qt::DecorationRole: return shown.icon;
    case Qt::AccessibleTextRole: return QStringList{shown.title, shown.context, shown.shortcut}.join(QStringLiteral(", "));
    case ContextRole: return shown.context;
    case ShortcutRole: return shown.shortcut;
    case PlacesRole: return QVariant::fromValue(hits_[index.row()].match.places);
    default: return {};
    }
}

}  // namespace heddle::ui
