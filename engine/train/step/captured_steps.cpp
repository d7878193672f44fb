// SPDX-License-Identifier: Apache-2.0
#include "engine/train/step/captured_steps.h"

#include "engine/device/torch_pch.h"

#include <algorithm>

namespace heddle {

CapturedSteps::CapturedSteps(MakeDeviceGraph makeGraph, const at::Device& device, Work work, std::string obstacle)
    : makeGraph_(std::move(makeGraph)), device_(device), work_(std::move(work)), obstacle_(std::move(obstacle)) {}

const StepResult& CapturedSteps::run(const Batch& batch, const StepNumbers& numbers) {
    Shape& shape = shapeFor(shapeOf(batch, numbers));
    shape.input.set(batch, numbers);
    ++counts_.steps;
    ++shape.uses;
    if (!shape.graph && obstacle_.empty() && isWarm(shape)) capture(shape);
    if (shape.graph) {
        shape.graph->replay();
        ++counts_.replays;
    } else {
        shape.result = work_(shape.input);
    }
    return shape.result;
}

/// Whether the shape has already run eagerly, watched or not: the first run fills library caches, which must not happen during
/// capture.
bool CapturedSteps::isWarm(const Shape& shape) const {
    if (shape.uses > 1) return true;
    const StepShape plain = unwatched(shape.shape);
    return std::any_of(shapes_.begin(), shapes_.end(), [&](const Shape& s) { return &s != &shape && s.shape == plain; });
}

CapturedSteps::Shape& CapturedSteps::shapeFor(const StepShape& wanted) {
    const auto found = std::find_if(shapes_.begin(), shapes_.end(), [&](const Shape& s) { return s.shape == wanted; });
    if (found != shapes_.end()) {
        shapes_.splice(shapes_.begin(), shapes_, found);
    } else {
        if (shapes_.size() == kMost) {
            shapes_.pop_back();
            ++counts_.evictions;
        }
        shapes_.push_front({wanted, StepInput(wanted, device_), {}, nullptr, 0});
    }
    return shapes_.front();
}

void CapturedSteps::capture(Shape& shape) {
    auto graph = makeGraph_();
    try {
        graph->capture([&] { shape.result = work_(shape.input); });
    } catch (const c10::OutOfMemoryError& error) {
        obstacle_ = std::string("there is not enough memory for graphs: ") + error.what_without_backtrace();
        disable();
        return;
    } catch (const c10::Error& error) {
        obstacle_ = error.what_without_backtrace();
        return;
    }
    shape.graph = std::move(graph);
    ++counts_.captures;
}

void CapturedSteps::disable() {
    for (Shape& shape : shapes_) {
        shape.graph.reset();
        shape.result = {};  // in the graphs' memory
    }
    makeGraph_ = {};  // releases their pool
}

}  // namespace heddle
