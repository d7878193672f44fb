// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of an error message: what happened, where, what is safe, and what to do next.
#pragma once

#include <QString>

#include <exception>

namespace heddle::ui {

struct Problem {
    QString what, where, safe, next;
};

/// From an Error, a StorageError or any other exception.
Problem problemOf(const std::exception& error);

/// What happened, where, and what to do next, in one line.
QString wordsOf(const Problem& problem);

}  // namespace heddle::ui
