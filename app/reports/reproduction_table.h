// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/reports/reproduction.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// One printed number beside what was measured for it.
struct ReproductionCell {
    enum class State {
        Measured,     ///< by every seed
        Partial,      ///< by some of them
        Waiting,      ///< nothing yet: runs are to come
        NoData,       ///< files are missing
        Failed,       ///< the runs ended without a number
        LeftOut,      ///< by the quick version or --only
        NotRecorded,  ///< the runs are done and do not tell it
        NotMeasured,  ///< nothing in the recipe measures it
    };
    State state = State::NotMeasured;
    std::string why;  ///< of everything but Measured; short
    std::optional<double> published;
    std::vector<double> values;     ///< one a run
    std::size_t expected = 0;       ///< values that there will be
    std::vector<std::string> runs;  ///< ids, beside the values
    std::string signature;
    std::string remark;  ///< what has to be read beside the values; empty: nothing
};

std::string_view name(ReproductionCell::State state);

struct ReproductionLine {
    std::string row, note, control;
    bool isPrinted = true;  ///< false: a row of ours
    std::vector<std::string> remarks;
    ReproductionCell cell;
};

/// Everything of one column, taken in one way.
struct ReproductionBlock {
    const PublishedColumn* column = nullptr;
    std::string reading;
    std::vector<ReproductionLine> lines;
};

struct ReproductionTable {
    std::vector<ReproductionBlock> blocks;
    bool isComplete() const;  ///< every line that is run has all its numbers
};

/// Puts the table together. `query` is null when there is no run database yet. Reads the files that are inspected. The result
/// points into `reproduction`.
ReproductionTable tabulate(const Reproduction& reproduction, storage::RunQuery* query);

}  // namespace heddle::app
