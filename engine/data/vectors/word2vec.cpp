// SPDX-License-Identifier: Apache-2.0
#include "engine/data/vectors/word2vec.h"

#include "engine/base/cancellation.h"
#include "engine/base/error.h"
#include "engine/base/unicode.h"
#include "engine/data/batching/shuffle.h"
#include "engine/data/tokenizers/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

namespace heddle {
namespace {

constexpr std::uint32_t kPurpose = 5;  // distinct from those of batches and generated data
constexpr std::uint64_t kInitEpoch = std::uint64_t{1} << 62;
constexpr double kNoisePower = 0.75;
constexpr double kLastRate = 1e-4;  // relative to the initial rate

struct WordList {
    std::vector<std::string> words;  ///< by descending count, then by bytes
    std::vector<std::int64_t> counts;
    std::unordered_map<std::string, std::int32_t> number;
};

WordList countWords(const std::vector<std::string>& lines, std::int64_t minCount) {
    std::unordered_map<std::string, std::int64_t> counts;
    for (const std::string& line : lines)
        for (const std::string& word : splitUnicodeSpace(line)) ++counts[word];
    WordList vocabulary;
    for (const auto& [word, count] : byFrequency(counts, minCount)) {
        vocabulary.number.emplace(word, static_cast<std::int32_t>(vocabulary.words.size()));
        vocabulary.words.push_back(word);
        vocabulary.counts.push_back(count);
    }
    return vocabulary;
}

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

class Trainer {
public:
    Trainer(const WordList& vocabulary, const Word2VecOptions& options) : vocabulary_(vocabulary), options_(options) {
        const auto words = vocabulary.words.size(), dim = static_cast<std::size_t>(options.dim);
        input_.resize(words * dim);
        output_.assign(words * dim, 0);
        context_.resize(dim);
        gradient_.resize(dim);
        double sum = 0;
        for (const std::int64_t count : vocabulary.counts)
            noise_.push_back(sum += std::pow(static_cast<double>(count), kNoisePower));
        begin();
    }

    void read(const std::vector<std::string>& lines) {
        for (const std::string& line : lines) {
            std::vector<std::int32_t> sentence;
            for (const std::string& word : splitUnicodeSpace(line))
                if (const auto found = vocabulary_.number.find(word); found != vocabulary_.number.end())
                    sentence.push_back(found->second);
            total_ += static_cast<std::int64_t>(sentence.size());
            sentences_.push_back(std::move(sentence));
        }
    }

    void run() {
        const auto all = static_cast<double>(total_ * options_.epochs);
        std::int64_t seen = 0;
        for (std::int64_t epoch = 0; epoch < options_.epochs; ++epoch) {
            ShuffleRandom random(options_.seed, static_cast<std::uint64_t>(epoch), kPurpose);
            for (std::size_t i = 0; i < sentences_.size(); ++i) {
                if (i % 256 == 0 && options_.stopRequested && options_.stopRequested()) throwStopped("training word vectors");
                if (i % 256 == 0 && options_.progress) options_.progress(epoch, static_cast<double>(seen) / all);
                const double left = 1 - static_cast<double>(seen) / all;
                rate_ = static_cast<float>(options_.rate * std::max(left, kLastRate));
                sentence(kept(sentences_[i], random), random);
                seen += static_cast<std::int64_t>(sentences_[i].size());
            }
        }
    }

    std::vector<float> take() { return std::move(input_); }

private:
    /// Initialises with the vectors of `start`, or with small random ones as in the authors' program.
    void begin() {
        ShuffleRandom random(options_.seed, kInitEpoch, kPurpose);
        for (float& value : input_)
            value = (static_cast<float>(random.below(1 << 24)) * 0x1p-24F - 0.5F) / static_cast<float>(options_.dim);
        if (!options_.start) return;
        for (std::size_t i = 0; i < options_.start->words.size(); ++i) {
            const auto found = vocabulary_.number.find(options_.start->words[i]);
            if (found == vocabulary_.number.end()) continue;
            const float* const from = options_.start->values.data() + static_cast<std::int64_t>(i) * options_.dim;
            std::copy(from, from + options_.dim, input_.data() + found->second * options_.dim);
        }
    }

    /// Drops frequent words with probability 1 − √(t/f) − t/f, as in the authors' program.
    std::vector<std::int32_t> kept(const std::vector<std::int32_t>& sentence, ShuffleRandom& random) const {
        if (options_.subsample <= 0) return sentence;
        std::vector<std::int32_t> words;
        for (const std::int32_t word : sentence) {
            const double frequency =
                static_cast<double>(vocabulary_.counts[static_cast<std::size_t>(word)]) / static_cast<double>(total_);
            const double ratio = options_.subsample / frequency, keep = std::sqrt(ratio) + ratio;
            if (keep >= 1 || static_cast<double>(random.below(1 << 24)) * 0x1p-24 < keep) words.push_back(word);
        }
        return words;
    }

    void sentence(const std::vector<std::int32_t>& words, ShuffleRandom& random) {
        const auto count = static_cast<std::int64_t>(words.size());
        for (std::int64_t at = 0; at < count; ++at) {
            const auto reach = 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(options_.window)));
            const std::int64_t first = std::max<std::int64_t>(0, at - reach), last = std::min(count - 1, at + reach);
            if (options_.model == Word2VecOptions::Model::SkipGram) {
                for (std::int64_t other = first; other <= last; ++other)
                    if (other != at) pair(words[static_cast<std::size_t>(at)], words[static_cast<std::size_t>(other)], random);
            } else if (last > first) {
                window(words, {first, last, at}, random);
            }
        }
    }

    float* inputOf(std::int32_t word) { return input_.data() + word * options_.dim; }

    void pair(std::int32_t centre, std::int32_t other, ShuffleRandom& random) {
        float* const v = inputOf(centre);
        predict(v, other, random);
        for (std::int64_t k = 0; k < options_.dim; ++k) v[k] += gradient_[static_cast<std::size_t>(k)];
    }

    struct Window {
        std::int64_t first, last, centre;
    };

    void window(const std::vector<std::int32_t>& words, Window where, ShuffleRandom& random) {
        std::fill(context_.begin(), context_.end(), 0.0F);
        const auto share = 1 / static_cast<float>(where.last - where.first);
        const auto eachOther = [&](const auto& visit) {
            for (std::int64_t i = where.first; i <= where.last; ++i)
                if (i != where.centre) visit(inputOf(words[static_cast<std::size_t>(i)]));
        };
        eachOther([&](const float* v) {
            for (std::size_t k = 0; k < context_.size(); ++k) context_[k] += v[k] * share;
        });
        predict(context_.data(), words[static_cast<std::size_t>(where.centre)], random);
        eachOther([&](float* v) {
            for (std::size_t k = 0; k < gradient_.size(); ++k) v[k] += gradient_[k];
        });
    }

    /// Trains one positive and the negative samples against `v`; accumulates the update of v in gradient_.
    void predict(const float* v, std::int32_t truth, ShuffleRandom& random) {
        std::fill(gradient_.begin(), gradient_.end(), 0.0F);
        for (std::int64_t n = 0; n <= options_.negatives; ++n) {
            const std::int32_t word = n == 0 ? truth : noise(random);
            if (n > 0 && word == truth) continue;
            float* const u = output_.data() + word * options_.dim;
            const float dot = std::inner_product(v, v + options_.dim, u, 0.0F);
            const float step = ((n == 0 ? 1.0F : 0.0F) - sigmoid(dot)) * rate_;
            for (std::int64_t k = 0; k < options_.dim; ++k) {
                gradient_[static_cast<std::size_t>(k)] += step * u[k];
                u[k] += step * v[k];
            }
        }
    }

    std::int32_t noise(ShuffleRandom& random) const {
        const double at = static_cast<double>(random.below(std::uint64_t{1} << 53)) * 0x1p-53 * noise_.back();
        const auto found = std::upper_bound(noise_.begin(), noise_.end(), at);
        return static_cast<std::int32_t>(std::min(found, noise_.end() - 1) - noise_.begin());
    }

    const WordList& vocabulary_;
    const Word2VecOptions& options_;
    std::vector<float> input_, output_;  ///< [words, dim]
    std::vector<float> context_, gradient_;
    std::vector<double> noise_;  ///< running sums of count^¾
    std::vector<std::vector<std::int32_t>> sentences_;
    std::int64_t total_ = 0;
    float rate_ = 0;
};

/// Keeps the initial vectors of words that are not in the text.
void keepOthers(const WordVectors& start, const WordList& vocabulary, WordVectors& vectors) {
    for (std::size_t i = 0; i < start.words.size(); ++i) {
        if (vocabulary.number.contains(start.words[i])) continue;
        vectors.words.push_back(start.words[i]);
        const auto from = start.values.begin() + static_cast<std::ptrdiff_t>(i) * start.dim;
        vectors.values.insert(vectors.values.end(), from, from + start.dim);
    }
}

}  // namespace

WordVectors trainWord2Vec(const std::vector<std::string>& lines, const Word2VecOptions& options) {
    if (options.start && options.start->dim != options.dim)
        throwInvalid(fmt::format("the initial vectors have {} dimensions instead of {}", options.start->dim, options.dim),
                     "word vectors", fmt::format("ask for {}", options.start->dim));
    const WordList vocabulary = countWords(lines, options.minCount);
    if (vocabulary.words.size() < 2)
        throwInvalid(fmt::format("only {} words occur at least {} times", vocabulary.words.size(), options.minCount),
                     "word vectors", "use more text, or a lower minimum count");
    Trainer trainer(vocabulary, options);
    trainer.read(lines);
    trainer.run();
    WordVectors vectors;
    vectors.dim = options.dim;
    vectors.words = vocabulary.words;
    vectors.values = trainer.take();
    if (options.start) keepOthers(*options.start, vocabulary, vectors);
    vectors.rows = static_cast<std::int64_t>(vectors.words.size());
    return vectors;
}

}  // namespace heddle
