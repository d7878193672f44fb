// SPDX-License-Identifier: GPL-3.0-or-later
// The matched control of the draft shown, made on a pool thread and named.
#pragma once

#include "engine/spec/match.h"
#include "ui/pages/compose/draft/variant_draft.h"
#include "ui/threads/ask.h"

#include <functional>

namespace heddle::ui {

/// A matched control, named after its draft and baseline.
struct NamedControl : MatchedControl {
    QString name, baseline;  ///< "eau-base-f640", "eau-base"
    QString difference;      ///< "exactly as many parameters as eau-full"
};

/// Gives the baseline as many parameters as the draft shown, on a pool thread. A problem gives the reason if it cannot.
void findControl(const VariantDraft& draft, QObject* owner, const std::function<void(Result<NamedControl>)>& answer);

}  // namespace heddle::ui
