// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace heddle::ui {

class Studio;

/// Queues what packaging/run.sh trains: the plain variant, then the gated one. What fails is said in the window.
void trainSample(Studio& studio);

}  // namespace heddle::ui
