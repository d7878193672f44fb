// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/inspect/inspect.h"

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

/// Parts of the document of inspectFiles(); used by inspect*.cpp alone.
namespace heddle::inspection {

using WordCounts = std::unordered_map<std::string, std::int64_t>;
using CharacterSet = std::unordered_set<std::string>;

/// Texts that are told of together: the lines of a file, or one side of its examples.
struct TextSide {
    std::vector<std::string> texts;
    std::vector<std::int64_t> lengths;  ///< words of each text
    WordCounts words;
    CharacterSet characters;
    std::int64_t characterTotal = 0, notAscii = 0;

    std::int64_t wordTotal() const;
};

/// What a word of these texts is: `split` itself, or for "auto" characters where they have no spaces, else whitespace.
std::string splitFor(const std::string& split, const std::vector<std::string>& texts);

/// `split` is what a word is: whitespace | 13a | characters (each that is no white space).
TextSide countSide(std::vector<std::string> texts, const std::string& split, const InspectOptions& options);

/// {"words", "length", "histogram", "vocabulary", "characters", "longest" (numbered as `unit`), "frequent"} of a side.
Json describeSide(const TextSide& side, const InspectOptions& options, const std::string& unit);

/// {"min","median","mean","p95","max"}; null for none.
Json describeLengths(std::vector<std::int64_t> lengths);
/// The same of real numbers.
Json describeNumbers(std::vector<double> values);

/// {"classes":[{"label","count","share"}],"majority","majority_rate"}, in the order given; null without examples.
Json describeBalance(const std::vector<std::pair<std::string, std::int64_t>>& counts);

/// How many are there a second time.
std::int64_t duplicates(const std::vector<std::string>& lines);

/// One file, as far as it is compared with others.
struct Inspected {
    enum class Kind { Text, Examples, Images, Labels, Vectors } kind = Kind::Text;
    std::string path, format;
    Json description;  ///< what "files" holds
    TextSide side;     ///< texts of both sides together; of examples as texts are compared
    std::int64_t count = 0, skipped = 0;
};

Inspected inspectExamples(const std::string& path, const std::string& format, const InspectOptions& options);
Inspected inspectIdx(const std::string& path);
Inspected inspectVectors(const std::string& path, const InspectOptions& options);

/// Text of a file's description for people.
std::string examplesText(const Json& file, std::int64_t minCount);
std::string idxText(const Json& file);
std::string vectorsText(const Json& file);

// Pieces that all of them use.
std::string histogramText(const Json& bins, const std::string& unit);
std::string frequentText(const Json& words);
std::string sideText(const Json& side, std::int64_t minCount, const std::string& unit);
std::string balanceText(const Json& balance);
std::string headText(const Json& file);

/// The text with every line at most 120 columns wide, broken at spaces and indented further; wide characters count two.
std::string fitColumns(const std::string& text);
/// The first part of a text, with "…" where something was cut off.
std::string clip(const std::string& text, std::int64_t columns);

}  // namespace heddle::inspection
