// SPDX-License-Identifier: GPL-3.0-or-later
// What went wrong, as a message strip says it.
#pragma once

#include <QString>

#include <exception>

namespace heddle::ui {

struct Problem {
    QString what, where, safe, next;
};

/// Reads an Error, a StorageError or any other exception.
Problem problemOf(const std::exception& error);

/// What went wrong and what to do next, in one line.
QString wordsOf(const Problem& problem);

}  // namespace heddle::ui
