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
#include <vector>

namespace heddle {

/// Results of a step, or of a part of it, on the device.
struct StepResult {
    Optimizer::Update update;     ///< empty: of a micro-batch
    WatchedStep watched;          ///< empty: not watched
    std::vector<bool> gradients;  ///< of a micro-batch: what GradientSum::add() returned
};

/// Captures and replays training steps and their parts, one graph per input shape. A shape runs eagerly the first time, is
/// captured the second time, and is evicted after kMost other shapes.
class CapturedSteps {
public:
    /// The device work of a step or a part of it. Its input must be the only thing that changes between those of a shape.
    using Work = std::function<StepResult(const StepInput& input)>;
    /// `obstacle`: why no step can be captured, if known in advance; empty: try.
    CapturedSteps(MakeDeviceGraph makeGraph, const at::Device& device, Work work, std::string obstacle = {});

    static constexpr std::size_t kMost = 64;  ///< shapes remembered
    /// Runs a step, or the part that `numbers` names. The result is valid until the next one.
    const StepResult& run(const Batch& batch, const StepNumbers& numbers);

    /// Why steps are no longer captured; empty: they are. After an out-of-memory capture all graphs are released to free their
    /// memory, and training continues without capture.
    const std::string& obstacle() const { return obstacle_; }
    const StepsCaptured& counts() const { return counts_; }

private:
    struct Shape {
        StepShape shape;
        StepInput input;
        StepResult result;
        std::unique_ptr<DeviceGraph> graph;
        std::int64_t uses = 0;
    };
    Shape& shapeFor(const StepShape& shape);
    bool isWarm(const Shape& shape) const;
    void capture(Shape& shape);
    void disable();

    MakeDeviceGraph makeGraph_;
    at::Device device_;
    Work work_;
    std::list<Shape> shapes_;  // most recently used first
    std::string obstacle_;
    StepsCaptured counts_;
};

}  // namespace heddle
