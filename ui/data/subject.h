// SPDX-License-Identifier: GPL-3.0-or-later
// What the snapshot cards show.
#pragma once

#include "ui/data/run_detail.h"

namespace heddle::ui {

struct Subject {
    RunRef run;
    std::shared_ptr<const RunDetail> detail;  ///< null until it is read and without a run
    Step step = 0;                            ///< where the scrubber stands
    int order = 1;                            ///< of the variant: Theme::runAt
    QString label;
    RunRef other;  ///< the first compared run, or empty
    std::shared_ptr<const RunDetail> otherDetail;
    QString otherLabel;
    bool operator==(const Subject&) const = default;
};

/// The last of ascending `steps` at or before `step`; the first if all are later; nothing if there are none.
std::optional<Step> stepAtOrBefore(const std::vector<Step>& steps, Step step);

}  // namespace heddle::ui
