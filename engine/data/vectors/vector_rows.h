// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/vectors/word_vectors.h"

#include <optional>
#include <string_view>
#include <unordered_set>

/// Common code of the word-vector layouts; used only by word_vectors.cpp and vector_rows.cpp.
namespace heddle::vectors {

/// "N D": number of rows and of values per row.
struct Header {
    std::int64_t rows = 0, dim = 0;
};

/// Nothing unless the line consists of two plausible positive integers (D up to 65,536).
std::optional<Header> parseHeader(std::string_view line);

/// Collects rows.
class Rows {
public:
    Rows(const std::string& path, const std::function<bool(const std::string&)>& wanted);

    /// Also reserves memory, limited by what a file of this size can contain.
    void setHeader(const Header& header);
    void setDim(std::int64_t dim);
    std::int64_t dim() const { return result_.dim; }
    const Header& header() const { return header_; }

    /// False for a duplicate word.
    bool add(std::string word, const std::vector<float>& values);

    WordVectors& result() { return result_; }
    /// Throws Error(InvalidInput) when the number of rows is 0 or differs from the header.
    WordVectors finish(const std::string& sha256);

private:
    std::string path_;
    const std::function<bool(const std::string&)>& wanted_;
    std::uint64_t maxValueBytes_ = 0;  ///< maximum bytes of the values that a file of this size can contain
    Header header_;
    WordVectors result_;
    std::unordered_set<std::string> seen_;
};

WordVectors readBinary(const std::string& path, const ReadVectorsOptions& options);

}  // namespace heddle::vectors
