// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/recorder.h"

namespace heddle::test {

/// Stands in for a device's memory: it does its work again. Whatever a recorded step does not read from its input stays what it
/// was when it was recorded, and shows.
class AgainRecorder final : public Recorder {
public:
    void record(const std::function<void()>& work) override { work_ = work; }
    void repeat() override { work_(); }

private:
    std::function<void()> work_;
};

}  // namespace heddle::test
