// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/context.h"
#include "app/cli/terminal.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <ostream>

namespace heddle::app {

/// Shows the progress of a ranking on a terminal, in one line that is redrawn.
class RankProgress {
public:
    explicit RankProgress(const Context& context) : context_(context) {}
    ~RankProgress() { clear(); }
    RankProgress(const RankProgress&) = delete;
    RankProgress& operator=(const RankProgress&) = delete;

    void show(std::int64_t done, std::int64_t all) {
        if (!context_.terminal.progress) return;
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began_;
        const double left = passed.count() / static_cast<double>(done) * static_cast<double>(all - done);
        context_.screen << "\r\x1b[K" << fmt::format("{} of {}, {} left", done, all, durationText(left)) << std::flush;
        isShown_ = true;
    }
    void clear() {
        if (isShown_) context_.screen << "\r\x1b[K" << std::flush;
        isShown_ = false;
    }

private:
    const Context& context_;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    bool isShown_ = false;
};

}  // namespace heddle::app
