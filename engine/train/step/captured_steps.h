// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/device_graph.h"
#include "engine/run/events.h"
#include "engine/train/report/gate_watch.h"
#include "engine/train/step/optimizer.h"
#include "engine/train/step/step_input.h"

#include <functional>
#include <list>
#include <string>

namespace heddle {

/// What a step leaves on the device for those who ask.
struct StepResult {
    AdamOptimizer::Update update;
    WatchedStep watched;  ///< empty where nobody watched
};

/// Whole training steps that a device captures and replays, one for each shape of input. A shape is worked through as usual
/// when it is met first, captured when it comes again, and evicted when kMost others have come since.
class CapturedSteps {
public:
    /// One step's work on the device, the same for every input of its shape: it may read nothing else that changes.
    using Work = std::function<StepResult(const StepInput& input)>;
    /// `obstacle`: why no step can be captured, where that is known before; empty: it is tried.
    CapturedSteps(MakeDeviceGraph makeGraph, const at::Device& device, Work work, std::string obstacle = {});

    static constexpr std::size_t kMost = 64;  ///< shapes remembered
    /// One step. What it returns holds until the next.
    const StepResult& run(const Batch& batch, const StepNumbers& numbers);

    /// Why steps are not captured any more; empty: they are. After a capture that ran out of memory all graphs are given up,
    /// since what they hold may be what is missing, and training goes on without.
    const std::string& obstacle() const { return obstacle_; }
    const StepsCaptured& counts() const { return counts_; }

private:
    struct Shape {
        StepShape shape;
        StepInput input;
        StepResult result;
        std::unique_ptr<DeviceGraph> graph;
        std::int64_t met = 0;
    };
    Shape& shapeFor(const StepShape& shape);
    bool isWarm(const Shape& shape) const;
    void capture(Shape& shape);
    void giveUp();

    MakeDeviceGraph makeGraph_;
    at::Device device_;
    Work work_;
    std::list<Shape> shapes_;  // the one used last stands first
    std::string obstacle_;
    StepsCaptured counts_;
};

}  // namespace heddle
