// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/readers/examples/line_parser.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::examples {

/// Which columns of a user's own table are read; numbers from 0.
struct TableColumns {
    std::size_t text = 0;
    std::optional<std::size_t> second, label;
    bool hasHeader = false;  ///< the first row names the columns and is no example
    std::string told;        ///< what was recognised, for people; empty: nothing had to be
};

/// What decides: the names that the user gave, whether the examples are pairs, the format's id.
struct TableQuestion {
    const ColumnNames& given;
    bool pairs = false;
    const std::string& format;
};

/// Chooses the columns by the first row: those that the user named; those of a header with usual names (text, sentence, review,
/// label, category, score, …); without a header the texts and then the label. Refuses a row that fits none of these.
TableColumns chooseColumns(const std::vector<std::string>& firstRow, const TableQuestion& question, const Line& line);

/// The names that a text, a second text and a label usually have, in the order in which they are looked for, in lower case.
const std::vector<std::string>& usualTextNames();
const std::vector<std::string>& usualSecondNames();
const std::vector<std::string>& usualLabelNames();

}  // namespace heddle::examples
