// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/subject.h"

#include <algorithm>

namespace heddle::ui {

std::optional<Step> stepAtOrBefore(const std::vector<Step>& steps, Step step) {
    if (steps.empty()) return std::nullopt;
    const auto after = std::upper_bound(steps.begin(), steps.end(), step);
    return after == steps.begin() ? *after : *(after - 1);
}

}  // namespace heddle::ui
