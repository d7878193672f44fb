// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/readers/text_file.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// How a file of running text is divided.
enum class CorpusLayout {
    Plain,    ///< a sentence or paragraph a line; empty lines, where there are any, end documents
    Wikitext  ///< wiki.*.tokens (Merity et al. 2016): " = Title = " begins an article, " = = Section = = " a section
};

/// Running text for language models: lines, and where its documents begin.
struct Corpus {
    TextFile file;  ///< every line, headings and empty ones too; <unk> as it stands
    CorpusLayout layout = CorpusLayout::Plain;
    std::vector<std::int64_t> documentBegin;  ///< number of the first line of each document (from 0), ascending
    std::int64_t headings = 0;                ///< of articles and sections
    std::int64_t emptyLines = 0;
};

/// Reads as readTextFile() does. The layout is Wikitext when the first line that is not empty is a heading " = … = ".
Corpus readCorpus(const std::string& path, const std::function<bool()>& stopRequested = {});

/// The lines of one side of a parallel text: an .sgm test set of WMT (contents that begin with <srcset, <refset or <tstset)
/// gives the text of its segments with entities decoded and white space at the ends taken off; any other file its lines. Throws
/// Error(InvalidInput) as readTextFile() does, and for a segment that does not end, an .sgm file without segments, and one that
/// holds several translations of the same segment.
TextFile readTextOrSgm(const std::string& path, const std::function<bool()>& stopRequested = {});

/// Whether a line is the title of an article in wiki.*.tokens: " = Title = ".
bool wikitextTitle(std::string_view line);

/// Whether the text of a file begins as an .sgm test set does.
bool isSgm(const std::vector<std::string>& lines);

}  // namespace heddle
