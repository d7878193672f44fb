// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "storage/records.h"

#include <QString>

namespace heddle::ui::inspect {

/// Heads of two runs can be subtracted where both runs began with equal weights: equal seeds, one forked from the other, or two
/// steps of one run.
struct HeadPairing {
    bool corresponds = false;
    QString reason;  ///< of either answer, for people
};
HeadPairing pairingOf(const storage::RunRecord& a, const storage::RunRecord& b);

}  // namespace heddle::ui::inspect
