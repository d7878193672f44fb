// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/vectors/word_vectors.h"

#include <optional>
#include <string_view>
#include <unordered_set>

/// What the layouts of word vectors have in common; used by word_vectors.cpp and vector_rows.cpp alone.
namespace heddle::vectors {

/// "N D": numbers of rows and of values in each.
struct Header {
    std::int64_t rows = 0, dim = 0;
};

/// Nothing unless the line is two positive whole numbers that can be meant (D up to 65,536).
std::optional<Header> parseHeader(std::string_view line);

/// Rows as they come in.
class Rows {
public:
    Rows(const std::string& path, const std::function<bool(const std::string&)>& wanted);

    /// Also makes room, as far as the file is large enough for what the header promises.
    void setHeader(const Header& header);
    void setDim(std::int64_t dim);
    std::int64_t dim() const { return result_.dim; }
    const Header& header() const { return header_; }

    /// False when the word was there before.
    bool add(std::string word, const std::vector<float>& values);

    WordVectors& result() { return result_; }
    /// Throws Error(InvalidInput) when there are fewer or more rows than the header said, or none.
    WordVectors finish(const std::string& sha256);

private:
    std::string path_;
    const std::function<bool(const std::string&)>& wanted_;
    std::uint64_t roomBytes_ = 0;  ///< values that a file of this size may hold take at most this
    Header header_;
    WordVectors result_;
    std::unordered_set<std::string> seen_;
};

WordVectors readBinary(const std::string& path, const ReadVectorsOptions& options);

}  // namespace heddle::vectors
