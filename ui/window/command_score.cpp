// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/command_score.h"

#include <algorithm>
#include <vector>

namespace heddle::ui {
namespace {

// Two first letters of words count more than two neighbours inside a word; three neighbours more than three first letters.
constexpr int kLetter = 1, kRun = 12, kWordStart = 7, kTitleStart = 4, kNever = -1'000'000;

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

}  // namespace heddle::ui
