// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/readers/examples.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle {

struct WordVectors {
    std::vector<std::string> words;  ///< in the file's order, each once
    std::int64_t dim = 0;
    std::vector<float> values;  ///< [words, dim], finite
    std::string sha256;         ///< of the contents, after gunzip; empty for vectors that were never in a file
    std::int64_t rows = 0;      ///< rows of the file, including skipped ones
    std::int64_t skipped = 0;   ///< malformed rows skipped
    std::vector<std::string> notes;
};

enum class VectorLayout {
    Text,   ///< word2vec's and fastText's: first line "N D", then a word and D numbers per line
    Glove,  ///< the same without the first line (Pennington et al. 2014)
    Binary  ///< word2vec's: first line "N D", then word, space, D little-endian floats
};

struct ReadVectorsOptions {
    OnBadLine onBadRow = OnBadLine::Stop;
    std::function<bool(const std::string& word)> wanted;  ///< rows of other words are checked but not stored; empty: store all
    std::function<bool()> stopRequested;
};

/// Detects the layout from the contents; throws Error(InvalidInput) when it is none of the three.
VectorLayout vectorLayoutOf(const std::string& path);

/// Reads plain or gzip files without a second copy of the values. Words may contain spaces: the last D columns are the numbers.
/// Throws Error(InvalidInput) with file, line (for the binary layout: row) and column for a header that is no "N D", a wrong
/// number of columns or rows, a number that is none or not finite, a word that is empty, not UTF-8, or there twice. A header
/// alone never causes an allocation.
WordVectors readWordVectors(const std::string& path, const ReadVectorsOptions& options = {});

/// Writes word2vec's text layout atomically; reading it gives the same bits. Throws Error(InvalidInput) for a word that cannot
/// be read back (empty, with a line end or a tab, beginning or ending with a space), Error(Failure) with the system's reason.
void writeWordVectors(const std::string& path, const WordVectors& vectors);

}  // namespace heddle
