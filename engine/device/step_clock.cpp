// SPDX-License-Identifier: Apache-2.0
#include "engine/device/step_clock.h"

#include "engine/device/cuda_module.h"
#include "engine/device/cuda_table.h"
#include "engine/device/torch_pch.h"

#include <chrono>

namespace heddle {

double StepClock::now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double StepClock::nowSynchronized() const {
    if (device_.is_cuda()) cudaTable()->synchronize(device_.index());
    return now();
}

}  // namespace heddle
