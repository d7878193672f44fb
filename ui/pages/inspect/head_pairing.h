// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "storage/records.h"

#include <QString>

namespace heddle::ui::inspect {

/// Why the heads of two runs must not be subtracted (engine/analysis/head_pairing.h), for people; empty: they correspond.
QString whyHeadsDiffer(const storage::RunRecord& a, const storage::RunRecord& b);

}  // namespace heddle::ui::inspect
