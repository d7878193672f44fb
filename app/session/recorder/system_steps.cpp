// SPDX-License-Identifier: Apache-2.0
#include "app/session/recorder/system_steps.h"

#include <bit>
#include <string>
#include <utility>

namespace heddle::app {
namespace {

/// The distance of the recorded steps changes where the training is so many times faster or slower.
constexpr std::int64_t kTolerance = 4;

}  // namespace

void SystemSteps::sum(const SystemReading& reading) {
    for (const auto& [name, value] : reading) {
        sums_[name].sum += value;
        ++sums_[name].n;
    }
}

StepBlock SystemSteps::add(std::int64_t step, const SystemReading& reading) {
    sum(reading);
    const std::int64_t taken = step - std::exchange(seen_, step);
    if (taken <= 0) return {};
    const auto wanted = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(taken)));
    if (stride_ == 0 || wanted > kTolerance * stride_ || kTolerance * wanted < stride_) stride_ = wanted;
    const std::int64_t first = (recorded_ / stride_ + 1) * stride_;
    return first > step ? StepBlock{} : take(first, stride_, (step - first) / stride_ + 1);
}

StepBlock SystemSteps::finish(std::int64_t step, const SystemReading& reading) {
    sum(reading);
    return step > recorded_ ? take(step, 1, 1) : StepBlock{};
}

StepBlock SystemSteps::take(std::int64_t first, std::int64_t stride, std::int64_t count) {
    StepBlock block;
    for (const auto& [name, sum] : sums_) {
        const auto mean = static_cast<float>(sum.sum / static_cast<double>(sum.n));
        block.series.push_back(
            {std::string(name), "", first, stride, std::vector<float>(static_cast<std::size_t>(count), mean), false});
    }
    recorded_ = first + (count - 1) * stride;
    sums_.clear();
    return block;
}

}  // namespace heddle::app
