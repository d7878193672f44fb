// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

namespace heddle::ui {

/// Calls part(0) … part(count − 1), each once, and returns when all are done: for much work on the calling thread and on those
/// processors that have nothing else to do in this program, for little work on the calling thread alone, since waking others
/// costs more than they save and takes a processor from a training. The parts must not touch each other's data; none may throw.
void inParallel(int count, bool isMuch, const std::function<void(int)>& part);

}  // namespace heddle::ui
