// SPDX-License-Identifier: GPL-3.0-or-later
// What the x-axis of curves counts.
#pragma once

#include "ui/plot/curve.h"

#include <memory>
#include <optional>

namespace heddle::ui {

enum class XAxis { Steps, Epoch, Tokens, Time };

/// What one run has recorded that an axis needs.
struct Pace {
    std::int64_t stepsPerEpoch = 0;
    std::shared_ptr<const Series> stepSeconds, tokensPerSecond;
    QString run;  ///< its label
};

/// The axis, or nothing where the run has not recorded what it needs.
std::optional<StepAxis> axisFor(XAxis kind, const Pace& pace);

}  // namespace heddle::ui
