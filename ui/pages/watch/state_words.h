// SPDX-License-Identifier: GPL-3.0-or-later
// The words of the strip above the curves about the current run: what happened, where, what is safe. Pure.
#pragma once

#include "ui/data/run_detail.h"
#include "ui/widgets/message_strip.h"

#include <optional>

namespace heddle::ui::watch {

struct StateWords {
    StripKind kind = StripKind::Info;
    QString title = {}, text = {};
    bool canResume = false, hasFailed = false;
    QString advice = {};     ///< what to do about a failure
    std::string fault = {};  ///< the key of the spec that it names, "train.lr"; may be empty
    std::string key = {};    ///< a strip that was closed stays closed as long as this is the same
};

/// Nothing where the state needs no words (running, completed).
std::optional<StateWords> stateWords(const RunDetail& detail);

}  // namespace heddle::ui::watch
