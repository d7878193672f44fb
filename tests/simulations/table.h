// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <random>
#include <string>

namespace heddle {

/// What a share, in per cent, has to be.
struct Bounds {
    double low = 0, high = 100;

    std::string text() const {
        if (low == 0) return fmt::format("≤ {}", high);
        return high == 100 ? fmt::format("≥ {}", low) : fmt::format("{} … {}", low, high);
    }
};

/// The printed table of shares and what they have to be.
class Table {
public:
    explicit Table(int repeats) : repeats_(repeats) {
        fmt::print("shares in per cent, of {} repeats\n\n{:<78} {:>6} {:>11}\n", repeats, "", "is", "has to be");
    }

    /// The mean of a number between 0 and 1 that each repeat gives.
    void line(const std::string& what, Bounds bounds, const std::function<double(std::mt19937_64&)>& repeat) {
        std::mt19937_64 random(42);
        double sum = 0;
        for (int i = 0; i < repeats_; ++i) sum += repeat(random);
        const double percent = 100 * sum / repeats_;
        const bool isHeld = percent >= bounds.low && percent <= bounds.high;
        isMissed_ = isMissed_ || !isHeld;
        fmt::print("{:<78} {:>6.2f} {:>11}{}\n", what, percent, bounds.text(), isHeld ? "" : "  MISSED");
        std::fflush(stdout);
    }

    bool isMissed() const { return isMissed_; }

private:
    int repeats_;
    bool isMissed_ = false;
};

}  // namespace heddle
