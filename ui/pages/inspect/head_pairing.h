// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "storage/records.h"

#include <QString>

namespace heddle::ui::inspect {

/// Heads of two runs can be subtracted if both runs began with equal weights: with equal seeds, as forks of one run, or as two
/// steps of one run.
struct HeadPairing {
    bool corresponds = false;
    QString reason;  ///< why they do or do not, for people
};
HeadPairing pairingOf(const storage::RunRecord& a, const storage::RunRecord& b);

}  // namespace heddle::ui::inspect
