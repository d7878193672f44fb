// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/json.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

struct InspectOptions {
    std::string split = "whitespace";  ///< what a word is: whitespace | 13a
    bool lower = false;
    std::int64_t minCount = 2;  ///< of the vocabulary whose size and coverage are told
    std::size_t frequent = 20;  ///< how many of the most frequent words are listed
    std::size_t longest = 3;    ///< how many of the longest lines are listed
};

/// What a person wants to know of text files before training on them: `heddle data inspect`. Document "heddle.data/1":
/// {"schema","split","lower","min_count",
///  "files":[{"path","sha256","bytes","lines","empty_lines","duplicate_lines","words","notes":[…],
///    "length":{"min","median","mean","p95","max"}, "histogram":[{"from","to","lines"}] (words a line, both ends included),
///    "vocabulary":{"types","once","kept","coverage"}, "characters":{"total","distinct","not_ascii"},
///    "longest":[{"line","words","text"}], "frequent":[{"word","count"}]}],
///  "pairs":[{"source","target","lines","length_ratio","equal_lines","duplicate_pairs"} or {"source","target","problem"}],
///  "splits":[{"a","b","lines_of_b_in_a","words_of_b_unknown_in_a"}]}
/// Two files are a pair when their names differ in the last extension only (train.en.gz, train.de.gz), or when they are all
/// that was given and have as many lines; they are splits of one text when that extension is the same (train.en, valid.en).
/// Lengths count words. Throws Error(InvalidInput) as readTextFile() does.
Json inspectFiles(const std::vector<std::string>& paths, const InspectOptions& options);

/// The same for people: a few lines a file, plain UTF-8, lines at most 120 columns wide.
std::string inspectText(const Json& report);

}  // namespace heddle
