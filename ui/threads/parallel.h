// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

namespace heddle::ui {

/// Calls part(0) … part(count − 1), each once, and returns when all have returned. Where `isMuch`, idle threads of the pool
/// help the calling thread. Otherwise it works alone: to wake another thread would cost more than it saves, and would take a
/// processor from a training. The parts must not share data that they change, and must not throw.
void inParallel(int count, bool isMuch, const std::function<void(int)>& part);

}  // namespace heddle::ui
