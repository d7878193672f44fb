// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/report/emitter.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// Base of the watches of training steps. They measure every `every`-th step, store the results on the device, and emit those
/// of several steps together, since emitting waits for the device. `Taken`: the results of one step, with its number `step`.
template <class Taken>
class StepWatch {
public:
    /// `every`: 0 disables it.
    explicit StepWatch(std::int64_t every) : every_(every) {}

    bool isDue(std::int64_t step) const { return every_ > 0 && step % every_ == 0; }
    /// Whether enough steps are stored for an emission.
    bool isFull() const { return taken_.size() >= kKept; }

protected:
    ~StepWatch() = default;

    /// Emits one series per path and forgets the stored steps. `valuesOf` returns the values of one step by path; a path that a
    /// step lacks has the value 0 there.
    template <class ValuesOf>
    void emitByPath(const char* name, Emitter& emitter, const ValuesOf& valuesOf) {
        if (taken_.empty()) return;
        std::map<std::string, std::vector<float>> series;
        for (std::size_t i = 0; i < taken_.size(); ++i)
            for (const auto& [path, value] : valuesOf(taken_[i])) {
                auto& values = series[path];
                values.resize(taken_.size());
                values[i] = static_cast<float>(value);
            }
        StepBlock block;
        for (auto& [path, values] : series)
            block.series.push_back({name, path, taken_.front().step, every_, std::move(values), true});
        emitter.emitAt(taken_.back().step, std::move(block));
        taken_.clear();
    }

    std::int64_t every_;
    std::vector<Taken> taken_;

private:
    static constexpr std::size_t kKept = 16;
};

}  // namespace heddle
