// SPDX-License-Identifier: GPL-3.0-or-later
// The subject of panels: a run, a step, and a run to compare with.
#pragma once

#include "ui/data/run_detail.h"

namespace heddle::ui {

struct Subject {
    RunRef run;
    std::shared_ptr<const RunDetail> detail;  ///< null without a run and until it was read
    Step step = 0;                            ///< the step of the scrubber
    int order = 1;                            ///< of the variant: Theme::runAt
    QString label;
    RunRef other;  ///< the first compared run, or empty
    std::shared_ptr<const RunDetail> otherDetail;
    QString otherLabel;
    bool operator==(const Subject&) const = default;
};

}  // namespace heddle::ui
