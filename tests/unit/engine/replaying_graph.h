// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/device_graph.h"

namespace heddle::test {

/// Stands in for a device's graph: it calls the captured work again. What a captured step does not read from its input stays
/// what it was at the capture, and shows.
class ReplayingGraph final : public DeviceGraph {
public:
    void capture(const std::function<void()>& work) override { work_ = work; }
    void replay() override { work_(); }

private:
    std::function<void()> work_;
};

inline MakeDeviceGraph replayingGraphs() {
    return [] { return std::make_unique<ReplayingGraph>(); };
}

}  // namespace heddle::test
