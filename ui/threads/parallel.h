// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

namespace heddle::ui {

/// Calls part(0) … part(count − 1), each once, on the calling thread and on those processors that have nothing else to do in
/// this program, and returns when all are done. The parts must not touch each other's data; none may throw.
void inParallel(int count, const std::function<void(int)>& part);

}  // namespace heddle::ui
