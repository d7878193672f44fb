// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/reports/reproduction.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// A printed number with its measurements.
struct ReproductionCell {
    enum class State {
        Measured,     ///< by every seed
        Partial,      ///< by some of them
        Waiting,      ///< no result yet; runs are pending
        NoData,       ///< files are missing
        Failed,       ///< the runs ended without a number
        LeftOut,      ///< excluded by the quick version or --only
        NotRecorded,  ///< the runs are done but did not record it
        NotMeasured,  ///< the recipe does not measure it
    };
    State state = State::NotMeasured;
    std::string why;  ///< short reason for every state but Measured
    std::optional<double> published;
    std::vector<double> values;     ///< one per run
    std::size_t expected = 0;       ///< number of values when complete
    std::vector<std::string> runs;  ///< ids, parallel to values
    std::string signature;
    std::string remark;  ///< to be shown beside the values; empty: none
};

std::string_view name(ReproductionCell::State state);

struct ReproductionLine {
    std::string row, note, control;
    bool isPrinted = true;  ///< false: an additional row of ours
    std::vector<std::string> remarks;
    ReproductionCell cell;
};

/// One column in one reading.
struct ReproductionBlock {
    const PublishedColumn* column = nullptr;
    std::string reading;
    std::vector<ReproductionLine> lines;
};

struct ReproductionTable {
    std::vector<ReproductionBlock> blocks;
    bool isComplete() const;  ///< all included lines have all their numbers
};

/// Builds the table. `query` is null if there is no run database yet. Reads inspected files. The result points into
/// `reproduction`.
ReproductionTable tabulate(const Reproduction& reproduction, storage::RunQuery* query);

}  // namespace heddle::app
