// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/readers/text_file.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// The structure of a file of running text.
enum class CorpusLayout {
    Plain,    ///< a sentence or paragraph per line; empty lines end documents
    Wikitext  ///< wiki.*.tokens (Merity et al. 2016): " = Title = " begins an article, " = = Section = = " a section
};

/// Running text for language models: lines and document boundaries.
struct Corpus {
    TextFile file;  ///< all lines, including headings and empty ones; <unk> is kept
    CorpusLayout layout = CorpusLayout::Plain;
    std::vector<std::int64_t> documentBegin;  ///< number of the first line of each document (from 0), ascending
    std::int64_t headings = 0;                ///< of articles and sections
    std::int64_t emptyLines = 0;
};

/// Reads as readTextFile() does. The layout is Wikitext when the first line that is not empty is a heading " = … = ".
Corpus readCorpus(const std::string& path, const std::function<bool()>& stopRequested = {});

/// The lines of one side of a parallel text: an .sgm test set of WMT (contents that begin with <srcset, <refset or <tstset)
/// gives the text of its segments with entities decoded and white space trimmed; any other file gives its lines. Throws
/// Error(InvalidInput) as readTextFile() does, and for an unterminated segment, an .sgm file without segments, and one with
/// several translations of the same segment.
TextFile readTextOrSgm(const std::string& path, const std::function<bool()>& stopRequested = {});

/// Whether a line is the title of an article in wiki.*.tokens: " = Title = ".
bool wikitextTitle(std::string_view line);

/// Whether the text of a file begins as an .sgm test set does.
bool isSgm(const std::vector<std::string>& lines);

}  // namespace heddle
