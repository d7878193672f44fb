// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json_fwd.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// A piece of a word: its id in the file, and the characters of the word that it covers.
struct WordPart {
    std::int32_t id = 0;
    std::size_t begin = 0, end = 0;
};

/// The model of a tokenizer.json: what turns a word into pieces. Immutable, thread-safe.
class SubwordModel {
public:
    virtual ~SubwordModel() = default;
    virtual void split(std::u32string_view word, std::vector<WordPart>& parts) const = 0;

    const std::vector<std::string>& tokens() const { return tokens_; }  ///< by id
    std::int32_t unknown() const { return unknown_; }                   ///< its id; -1: none

protected:
    std::vector<std::string> tokens_;
    std::int32_t unknown_ = -1;
};

/// BPE (Sennrich et al. 2016): merges the pair of neighbours that the file lists first, from the left. WordPiece: the longest
/// piece first. Unigram (Kudo 2018, section 3.1): the pieces with the greatest sum of log probabilities, by Viterbi's
/// algorithm. Not supported: dropout, byte_fallback, marks of BPE at the beginning or end of words. Throws Error(InvalidInput)
/// naming `where`, also when the ids are not 0 … N − 1.
std::unique_ptr<const SubwordModel> readSubwordModel(const Json& document, const std::string& where);

}  // namespace heddle
