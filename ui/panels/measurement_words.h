// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/run/measurement.h"

#include <QString>

namespace heddle::ui {

/// The label of a kept measurement: "Ranking of heads by mean · valid, 256 examples". A ranking must have entries.
QString wordsOfMeasurement(const Measurement& measurement);
/// What a ranking did to each part: "zero ablation". It must have entries.
QString ablationWords(const RankReport& report);

}  // namespace heddle::ui
