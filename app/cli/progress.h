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

/// The progress of a run in training; unknown values are 0 or NaN.
struct TrainingProgress {
    std::string name;
    std::int64_t step = 0, totalSteps = 0;  ///< totalSteps 0: unlimited
    std::int64_t epoch = 0, epochs = 0;     ///< the current one, from 1 on
    double secondsLeft = 0, loss = 0, accuracy = 0, stepsPerSecond = 0, tokensPerSecond = 0;
    bool isSmoothed = false;  ///< the step's loss is the objective with label smoothing, unlike that of an evaluation
    std::int64_t patience = 0, withoutImprovement = 0;  ///< of early stopping, in evaluations; patience 0: none
};
/// One line of at most `columns` columns: the most important items first; items that do not fit are omitted.
std::string progressLine(const TrainingProgress& advance, int columns);

/// Shows the progress of a run on stderr, read from the run database like any other view: one redrawn line on a terminal (at
/// most ten times a second), else a plain line every ten seconds; and a separate line for each evaluation, change of state and
/// warning.
class Progress {
public:
    /// Shows changes committed after `revision`.
    Progress(const Context& context, storage::RunQuery& query, const std::string& run, std::int64_t revision);
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Shows new changes. Call about ten times a second.
    void update();
    /// The reason why the run is paused although the database does not show it; empty: not paused.
    void setHeld(const std::string& reason) { held_ = reason; }
    /// Prints a separate line above the redrawn one.
    void printLine(const std::string& line);

private:
    using Clock = std::chrono::steady_clock;

    void readNews();
    std::vector<std::string> newsSince(std::int64_t rev);
    std::string line(int columns);
    TrainingProgress advance();
    void readPatience();
    double stepsPerSecond();
    double newest(const std::string& series);
    void redraw(const std::string& line);
    void clear();

    const Context& context_;
    storage::RunQuery& query_;
    storage::RunRecord run_;
    std::int64_t version_ = -1, rev_ = 0, withoutImprovement_ = 0;
    TrainSpec train_;
    std::set<std::string> lastNews_;                                ///< rows committed while reading are found twice
    std::deque<std::pair<Clock::time_point, std::int64_t>> steps_;  ///< over the last ten seconds
    Clock::time_point nextLine_{};
    std::string held_;
    bool drawn_ = false;
};

}  // namespace heddle::app
