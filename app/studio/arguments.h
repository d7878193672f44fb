// SPDX-License-Identifier: GPL-3.0-or-later
// The command line of heddle-studio. Read before there is an application: the scale must be known by then.
#pragma once

#include "ui/shell/theme.h"

#include <QSize>
#include <QStringList>

#include <optional>

namespace heddle::studio {

struct Arguments {
    QStringList files;
    QString page, run;
    QString shots;   ///< folder for a picture of every page; empty: an ordinary start
    QString stalls;  ///< file for the stall report at the end; empty: none
    std::optional<ui::Appearance> theme;
    double scale = 0;  ///< 0: as the system says
    QSize size;        ///< of the window, logical pixels; empty: as last time

    QString answer;  ///< to be printed instead of a start (--help, --version, or what is wrong)
    int code = 0;    ///< exit code that belongs to the answer
};

/// `words`: as main() gets them, the program's name first. Never ends the program.
Arguments parseArguments(const QStringList& words);

}  // namespace heddle::studio
