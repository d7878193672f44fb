// SPDX-License-Identifier: GPL-3.0-or-later
// What the snapshot cards are asked to show.
#pragma once

#include "ui/data/run_detail.h"

namespace heddle::ui {

struct Subject {
    RunRef run;
    std::shared_ptr<const RunDetail> detail;  ///< null: not read yet, or no run
    Step step = 0;                            ///< where the scrubber stands
    int order = 1;                            ///< of the variant: Theme::runAt
    QString label;
    RunRef other;  ///< the first compared run, or empty
    std::shared_ptr<const RunDetail> otherDetail;
    QString otherLabel;
    bool operator==(const Subject&) const = default;
    /// A run whose details are on their way: what is shown stays till they are there.
    bool isOnItsWay() const { return !run.empty() && !detail; }
};

/// The last of ascending `steps` at or before `step`; the first when all are later; nothing when there are none.
std::optional<Step> stepAtOrBefore(const std::vector<Step>& steps, Step step);

}  // namespace heddle::ui
