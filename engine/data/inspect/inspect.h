// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json_fwd.h"
#include "engine/data/inspect/data_report.h"
#include "engine/data/readers/examples.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

struct InspectOptions {
    /// Word splitting: whitespace | 13a | characters | auto (whitespace, or characters for a text without spaces, like
    /// data.tokenizer.kind auto).
    std::string split = "auto";
    bool lower = false;
    std::int64_t minCount = 2;                ///< of the vocabulary whose size and coverage are reported
    std::size_t frequent = 20;                ///< number of most frequent words listed
    std::size_t longest = 3;                  ///< number of longest lines listed
    std::string chineseSplit = "characters";  ///< word splitting of CLUE's files
    std::string format = "auto";              ///< of all files: an id of dataFormats(); auto: detected from contents and names
    OnBadLine onBadLine = OnBadLine::Stop;
    ColumnNames columns = {};                  ///< of users' own tables
    std::function<bool()> stopRequested = {};  ///< polled; when true, throws Error("stopped"); may be empty
};

/// Inspects data files. Two text files are a pair when their names differ in the last extension only (train.en.gz,
/// train.de.gz), or when they are the only files and have equally many lines; they are splits of one text when that extension
/// is the same (train.en, valid.en). Files of examples of one format are splits. Throws Error(InvalidInput) as the readers of
/// the formats do.
DataReport inspectFiles(const std::vector<std::string>& paths, const InspectOptions& options);

/// The report as document "heddle.data/1":
/// {"schema","split","lower","min_count","files":[…],"pairs":[…],"splits":[…],"totals":[…]}. Every file has "path","sha256",
/// "notes","format" (an id of dataFormats()),"recognised_by", and by its format:
/// - text, wikitext, sgm: "bytes","lines","empty_lines","tokens_with_eos" (words and an <eos> a line, as task causal_lm counts
///   them in blocks),"duplicate_lines" and SIDE; wikitext also "documents","headings".
///   SIDE is "words", "length":{"min","median","mean","p95","max"}, "histogram":[{"from","to","lines"}] (words a line, both
///   ends included), "vocabulary":{"types","once","kept","coverage"}, "characters":{"total","distinct","not_ascii"},
///   "longest":[{"line","words","text"}], "frequent":[{"word","count"}];
/// - examples: "title","kind","examples","skipped","split","duplicate_examples","contradicting_labels",
///   "sides":[{"name","empty",SIDE with "example" for "line"}], and by kind
///   "labels":{"classes":[{"label","count","share"}],"majority", "majority_rate"} (null without labels), "scores" (as
///   "length"), "spans":[{"type","count"}], "answers" and "unanswered";
/// - idx: "kind" and "examples", for images "rows","columns","duplicate_examples","pixels":{"mean","std","distinct","zero"},
/// for
///   labels "labels";
/// - vectors: "layout","words","dim","skipped","norm" (as "length"),"shortest","longest":[{"word","norm"}],"first_words".
/// "pairs":[{"source","target","lines","length_ratio","equal_lines","duplicate_pairs"}, or for images and their labels "images"
/// instead of what follows "target", or {"source","target","problem"}], "splits":[{"a","b","lines_of_b_in_a",
/// "words_of_b_unknown_in_a"}], "totals" (files of examples of one format together):[{"format","files","examples","skipped",
/// "words","word_types","characters":{"total","distinct"}}]. Lengths count words.
Json inspectDocument(const DataReport& report);

/// The report as text: a few lines per file, plain UTF-8, lines at most 120 columns wide.
std::string inspectText(const DataReport& report);

}  // namespace heddle
