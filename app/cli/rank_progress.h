// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/context.h"
#include "app/cli/signals.h"
#include "app/cli/terminal.h"
#include "engine/base/error.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <iterator>
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

/// Whether a report has an entry for all that it was asked for.
template <class Report>
bool isWhole(const Report& report) {
    return report.all > 0 && std::ssize(report.entries) == report.all;
}

/// The report that `measure(request)` returns, whose progress it shows. Where a signal stopped it, notes so on stderr and
/// returns the entries so far; with `all` 0 there is nothing to print.
template <class Request, class Measure>
auto reportUntilStopped(const Context& context, const SignalWatch& signals, Request request, const Measure& measure) {
    RankProgress progress(context);
    request.progress = [&](std::int64_t done, std::int64_t all) { progress.show(done, all); };
    decltype(measure(request)) report;
    try {
        report = measure(request);
    } catch (const Error&) {
        if (signals.received() == 0) throw;
    }
    progress.clear();
    if (!isWhole(report)) context.err << fmt::format("stopped after {} of {}\n", report.entries.size(), report.all);
    return report;
}

}  // namespace heddle::app
