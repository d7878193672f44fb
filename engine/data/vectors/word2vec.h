// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/vectors/word_vectors.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle {

/// Training options of word2vec (Mikolov et al. 2013b, "Distributed Representations of Words and Phrases and their
/// Compositionality"). Defaults as in the authors' program.
struct Word2VecOptions {
    enum class Model { SkipGram, Cbow } model = Model::SkipGram;
    std::int64_t dim = 100;
    std::int64_t window = 5;     ///< maximum words on each side; the number is drawn at every position
    std::int64_t negatives = 5;  ///< negative samples per positive one, drawn by count^¾ (section 2.2)
    std::int64_t epochs = 5;
    std::int64_t minCount = 5;  ///< rarer words are ignored
    double rate = 0.025;        ///< learning rate; decays linearly to 1/10,000 of it
    double subsample = 1e-3;    ///< t of section 2.3: frequent words are skipped at random; 0: off
    std::uint64_t seed = 1;
    const WordVectors* start = nullptr;  ///< initial vectors; those of words not in the text stay unchanged
    std::function<bool()> stopRequested;
    std::function<void(std::int64_t epoch, double share)> progress;  ///< called periodically; may be empty
};

/// Learns vectors from lines of text, split at white space. Skip-gram maximises for every word c and word o of its window
///   log σ(u_o · v_c) + Σ_k log σ(−u_k · v_c)                                     (eq. 4)
/// CBOW the same with the mean of the window's vectors in place of v_c. Single-threaded, so that text, options and seed
/// determine every bit. Throws Error(InvalidInput) for a text with too few words and for initial vectors of another width.
WordVectors trainWord2Vec(const std::vector<std::string>& lines, const Word2VecOptions& options);

}  // namespace heddle
