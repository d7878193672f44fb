// SPDX-License-Identifier: GPL-3.0-or-later
// Looks up exposures in the catalogue, so that views draw by quantity and never by a block's name.
#pragma once

#include "engine/spec/catalogue.h"

#include <QString>

#include <string>

namespace heddle::ui {

struct Site;

/// The exposure of a stored snapshot; null if the catalogue has none (weights, other programs). Any thread.
const Exposure* exposureOf(const Site& site);
/// "residual" of "encoder.layers.0.self.residual".
std::string slotOf(const std::string& path);
/// "enc.0.self" of "encoder.layers.0.self.residual": the sublayer without the slot.
QString shortSite(const std::string& path);
/// "enc.0.self.residual" of "encoder.layers.0.self.residual".
QString shortPath(QString path);
/// "decoder.layers.1.cross" of "decoder.layers.1.cross.residual".
QString longSite(const std::string& path);

}  // namespace heddle::ui
