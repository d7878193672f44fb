// SPDX-License-Identifier: GPL-3.0-or-later
// The icon, colour and word of each state.
#pragma once

#include "ui/theme/tokens.h"

#include <QString>

namespace heddle::ui {

/// The run states, in the order of RunState, and other marks.
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
