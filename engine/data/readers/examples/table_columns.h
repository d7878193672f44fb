// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/readers/examples/line_parser.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::examples {

/// The columns of a user's table that are read; numbers from 0.
struct TableColumns {
    std::size_t text = 0;
    std::optional<std::size_t> second, label;
    bool hasHeader = false;  ///< the first row names the columns
    std::string note;        ///< note on what was detected; empty: nothing
};

/// Inputs of the choice: the user's column names, whether examples are pairs, the format's id.
struct TableHints {
    const ColumnNames& given;
    bool pairs = false;
    const std::string& format;
};

/// Chooses the columns from the first row: the user's columns; else a header's columns with usual names (text, sentence,
/// review, label, category, score, …); without a header the texts and then the label. Refuses a row that matches none of these.
TableColumns chooseColumns(const std::vector<std::string>& firstRow, const TableHints& hints, const Line& line);

/// The separator that Excel names in a first line "sep=;" of its tables; nothing: the line is none.
std::optional<char> namedSeparator(std::string_view firstLine);

/// Usual names of a text, a second text and a label, in search order, in lower case.
const std::vector<std::string>& usualTextNames();
const std::vector<std::string>& usualSecondNames();
const std::vector<std::string>& usualLabelNames();

}  // namespace heddle::examples
