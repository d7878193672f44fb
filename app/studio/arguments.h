// SPDX-License-Identifier: GPL-3.0-or-later
// The command line of heddle-studio. Parsed before the application is created, which needs the scale.
#pragma once

#include "ui/theme/theme.h"

#include <QSize>
#include <QStringList>

#include <optional>

namespace heddle::studio {

struct Arguments {
    QStringList files;
    QString page, run;
    QString shots;  ///< folder for screenshots of every page; empty: normal start
    std::optional<ui::Appearance> theme;
    double scale = 0;  ///< 0: the system's scale
    QSize size;        ///< of the window, in logical pixels; empty: the last size

    QString answer;  ///< text to print instead of starting (--help, --version, or an error)
    int code = 0;    ///< exit code for `answer`
};

/// `words`: the arguments of main(), program name first. Never ends the program.
Arguments parseArguments(const QStringList& words);

}  // namespace heddle::studio
