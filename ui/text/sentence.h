// SPDX-License-Identifier: GPL-3.0-or-later
// Words of the engine, which are written as inside a sentence, as titles and sentences of their own.
#pragma once

#include <QString>

namespace heddle::ui {

/// "attention on the first token" as "Attention on the first token".
inline QString withCapital(const QString& words) { return words.left(1).toUpper() + words.mid(1); }

/// "set it to 1" as "Set it to 1."; empty if `words` are.
inline QString sentence(const QString& words) {
    const QString whole = withCapital(words);
    return whole.isEmpty() || whole.endsWith(QLatin1Char('.')) ? whole : whole + QLatin1Char('.');
}

}  // namespace heddle::ui
