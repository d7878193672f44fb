// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/recorder.h"
#include "engine/train/optimizer.h"
#include "engine/train/step_input.h"

#include <functional>
#include <list>
#include <string>

namespace heddle {

/// Whole training steps that a device remembers and repeats, one for each shape of input. A shape is worked through as usual
/// when it is met first, recorded when it comes again, and forgotten when kMost others have come since.
class CapturedSteps {
public:
    /// One step's work on the device, the same for every input of its shape: it may read nothing else that changes.
    using Work = std::function<AdamOptimizer::Update(const StepInput& input)>;
    /// `obstacle`: why no step can be recorded, where that is known before; empty: it is tried.
    CapturedSteps(MakeRecorder makeRecorder, const at::Device& device, Work work, std::string obstacle = {});

    static constexpr std::size_t kMost = 24;  ///< shapes remembered
    /// One step. What it returns holds until the next.
    const AdamOptimizer::Update& run(const Batch& batch, const StepNumbers& numbers);

    /// Why steps are not recorded any more; empty: they are.
    const std::string& obstacle() const { return obstacle_; }
    std::int64_t recorded() const { return recorded_; }  ///< steps recorded so far
    std::int64_t repeated() const { return repeated_; }  ///< steps made by repeating one

private:
    struct Shape {
        StepShape shape;
        StepInput input;
        AdamOptimizer::Update update;
        std::unique_ptr<Recorder> recorder;
        std::int64_t met = 0;
    };
    Shape& shapeFor(const StepShape& shape);
    void record(Shape& shape);

    MakeRecorder makeRecorder_;
    at::Device device_;
    Work work_;
    std::list<Shape> shapes_;  // the one used last stands first
    std::string obstacle_;
    std::int64_t recorded_ = 0, repeated_ = 0;
};

}  // namespace heddle
