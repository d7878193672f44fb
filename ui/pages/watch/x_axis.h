// SPDX-License-Identifier: GPL-3.0-or-later
// The quantity on the x-axis of curves.
#pragma once

#include "ui/plot/curve.h"

#include <memory>
#include <optional>

namespace heddle::ui {

enum class XAxis { Steps, Epoch, Tokens, Time };

/// The records of one run from which its axes are computed.
struct Pace {
    std::int64_t stepsPerEpoch = 0;
    std::shared_ptr<const Series> stepSeconds, tokensPerSecond;
    QString run;  ///< its label
};

/// The axis; nothing if the run lacks the records for it.
std::optional<StepAxis> axisFor(XAxis kind, const Pace& pace);

}  // namespace heddle::ui
