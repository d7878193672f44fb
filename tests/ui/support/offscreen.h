// SPDX-License-Identifier: GPL-3.0-or-later
// An application without a screen, always the same: offscreen platform, C locale with English words, Noto Sans 9 pt.
#pragma once

#include <QApplication>

#include <chrono>
#include <functional>
#include <memory>

namespace heddle::ui::test {

/// Once a process, before any widget.
std::unique_ptr<QApplication> makeApplication(int& argc, char** argv);

/// Lets the event loop turn until `done` or the patience is over; true if done.
bool waitUntil(const std::function<bool()>& done, std::chrono::milliseconds patience = std::chrono::seconds(5));

}  // namespace heddle::ui::test
