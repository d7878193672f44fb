// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/ablation.h"
#include "engine/run/inspection.h"

namespace heddle {

/// Gives the entries of a ranking by mean ablation their mass, and the ranking its correlation. `sums` are those of the means.
void addMass(RankReport& report, const OutputSums& sums, const ResolvedVariant& variant);

}  // namespace heddle
