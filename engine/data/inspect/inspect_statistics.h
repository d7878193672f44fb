// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/inspect/inspect.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

/// Parts of the report of inspectFiles(); used only by inspect*.cpp.
namespace heddle::data_report {

using WordCounts = std::unordered_map<std::string, std::int64_t>;
using CharacterSet = std::unordered_set<std::string>;

/// Texts described together: the lines of a file, or one side of its examples.
struct TextSide {
    std::vector<std::string> texts;
    std::vector<std::int64_t> lengths;  ///< words of each text
    WordCounts words;
    CharacterSet characters;
    std::int64_t characterTotal = 0, notAscii = 0;

    std::int64_t wordTotal() const;
};

/// The word splitting of these texts: `split` itself; for "auto" characters if they have no spaces, else whitespace.
std::string splitFor(const std::string& split, const std::vector<std::string>& texts);

/// `split`: whitespace | 13a | characters (without white space).
TextSide countSide(std::vector<std::string> texts, const std::string& split, const InspectOptions& options);

SideReport describeSide(const TextSide& side, const InspectOptions& options);

/// Returns nothing if there are no values.
std::optional<Summary<std::int64_t>> summaryOf(std::vector<std::int64_t> values);
std::optional<Summary<double>> summaryOf(std::vector<double> values);

/// Returns the classes in the order of `counts`, and which of them is the majority; nothing without examples.
std::optional<BalanceReport> describeBalance(const CountedWords& counts);

/// Number of lines that are repetitions.
std::int64_t duplicates(const std::vector<std::string>& lines);

/// An inspected file, with the data for comparisons.
struct Inspected {
    FileReport report;
    TextSide side;  ///< texts of both sides; examples joined for comparison
    std::int64_t count = 0, skipped = 0;
};

Inspected inspectExamples(const std::string& path, const std::string& format, const InspectOptions& options);
Inspected inspectIdx(const std::string& path);
Inspected inspectVectors(const std::string& path, const InspectOptions& options);

}  // namespace heddle::data_report
