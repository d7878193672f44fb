// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

namespace heddle::ui {

/// Calls part(0) … part(count − 1), each once, and returns when all have returned. If `isMuch`, idle threads of the pool take
/// part. Otherwise only the calling thread works: another thread would cost more time than it saves, and would take a processor
/// from a training. The parts must not change shared data and must not throw.
void inParallel(int count, bool isMuch, const std::function<void(int)>& part);

}  // namespace heddle::ui
