// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/context.h"
#include "engine/spec/run_spec.h"
#include "storage/run_query.h"

#include <chrono>
#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace heddle::app {

/// How far a run in training is; what is not known is 0 or NaN.
struct Advance {
    std::string name;
    std::int64_t step = 0, totalSteps = 0;  ///< no total: not limited by steps or epochs
    std::int64_t epoch = 0, epochs = 0;     ///< the one in work, from 1 on
    double secondsLeft = 0, loss = 0, accuracy = 0, stepsPerSecond = 0, tokensPerSecond = 0;
    std::int64_t patience = 0, withoutBetter = 0;  ///< of early stopping, in evaluations; patience 0: none
};
/// One line of at most `columns`: what matters most stands first, and what does not fit is left out, word by word.
std::string advanceLine(const Advance& advance, int columns);

/// Tells on stderr how a run goes, read from the run database like any other view: one redrawn line on a terminal (at most ten
/// times a second), else a plain line every ten seconds; and a line of its own for each evaluation, change of state, warning.
class Progress {
public:
    /// News are what was committed after `revision`.
    Progress(const Context& context, storage::RunQuery& query, const std::string& run, std::int64_t revision);
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Looks whether there is news. Call about ten times a second.
    void update();
    /// The run is paused for this reason, whatever the database says; empty: it is not.
    void setHeld(const std::string& reason) { held_ = reason; }
    /// A line of its own, above the redrawn one.
    void say(const std::string& line);

private:
    using Clock = std::chrono::steady_clock;

    void readNews();
    std::vector<std::string> newsSince(std::int64_t rev);
    std::string line(int columns);
    Advance advance();
    void readPatience();
    double stepsPerSecond();
    double newest(const std::string& series);
    void redraw(const std::string& line);
    void clear();

    const Context& context_;
    storage::RunQuery& query_;
    storage::RunRecord run_;
    std::int64_t version_ = -1, rev_ = 0, withoutBetter_ = 0;
    TrainSpec train_;
    std::set<std::string> lastNews_;                                ///< a row committed while news were read is found twice
    std::deque<std::pair<Clock::time_point, std::int64_t>> steps_;  ///< of the last ten seconds
    Clock::time_point nextLine_{};
    std::string held_;
    bool drawn_ = false;
};

}  // namespace heddle::app
