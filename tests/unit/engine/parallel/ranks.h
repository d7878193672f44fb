// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/parallel/group.h"

#include <chrono>
#include <functional>

namespace heddle::test {

/// The place of a process of `size` on this machine; all of one call of newPlaces() meet on the same port.
std::vector<ProcessPlace> newPlaces(int size, std::chrono::milliseconds patience = std::chrono::seconds(20));

/// Calls `work` on so many threads, each as a process of one group. An exception fails the test.
void onRanks(int size, const std::function<void(Group&)>& work, std::chrono::milliseconds patience = std::chrono::seconds(20));

}  // namespace heddle::test
