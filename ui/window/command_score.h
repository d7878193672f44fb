// SPDX-License-Identifier: GPL-3.0-or-later
// How well typed letters fit a title.
#pragma once

#include <QList>
#include <QString>

#include <optional>

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

}  // namespace heddle::ui
