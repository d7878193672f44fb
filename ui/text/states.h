// SPDX-License-Identifier: GPL-3.0-or-later
// How a state looks everywhere: icon (shape first), colour (second), word.
#pragma once

#include "ui/theme/tokens.h"

#include <QString>

namespace heddle::ui {

/// Run states and the marks that stand beside them.
enum class Mark {
    Queued,
    Preparing,
    Running,
    Paused,
    Stopping,
    Completed,
    Stopped,
    Failed,
    Interrupted,
    Warning,
    Error,
    Damaged,
    NotComparable
};

struct MarkLook {
    Icon icon;
    Token color;
    QString word;
};

MarkLook lookOf(Mark mark);

}  // namespace heddle::ui
