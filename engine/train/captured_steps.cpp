// SPDX-License-Identifier: Apache-2.0
#include "engine/train/captured_steps.h"

#include "engine/device/torch_pch.h"

#include <algorithm>

namespace heddle {

CapturedSteps::CapturedSteps(MakeRecorder makeRecorder, const at::Device& device, Work work, std::string obstacle)
    : makeRecorder_(std::move(makeRecorder)), device_(device), work_(std::move(work)), obstacle_(std::move(obstacle)) {}

const AdamOptimizer::Update& CapturedSteps::run(const Batch& batch, const StepNumbers& numbers) {
    Shape& shape = shapeFor(shapeOf(batch, numbers.learningRates.size()));
    shape.input.set(batch, numbers);
    // The first time fills what libraries keep for a shape, which cannot be done while recording.
    if (++shape.met > 1 && !shape.recorder && obstacle_.empty()) record(shape);
    if (shape.recorder) {
        shape.recorder->repeat();
        ++repeated_;
    } else {
        shape.update = work_(shape.input);
    }
    return shape.update;
}

CapturedSteps::Shape& CapturedSteps::shapeFor(const StepShape& wanted) {
    const auto found = std::find_if(shapes_.begin(), shapes_.end(), [&](const Shape& s) { return s.shape == wanted; });
    if (found != shapes_.end()) {
        shapes_.splice(shapes_.begin(), shapes_, found);
    } else {
        if (shapes_.size() == kMost) shapes_.pop_back();
        shapes_.push_front({wanted, StepInput(wanted, device_), {}, nullptr, 0});
    }
    return shapes_.front();
}

void CapturedSteps::record(Shape& shape) {
    auto recorder = makeRecorder_();
    try {
        recorder->record([&] { shape.update = work_(shape.input); });
    } catch (const c10::Error& error) {
        obstacle_ = error.what_without_backtrace();
        return;
    }
    shape.recorder = std::move(recorder);
    ++recorded_;
}

}  // namespace heddle
