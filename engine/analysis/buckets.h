// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/metrics/bleu.h"
#include "engine/metrics/metric.h"

#include <string>
#include <vector>

namespace heddle {

/// Buckets of source lengths; a bucket includes its upper bound, and the last one is open.
class LengthBuckets {
public:
    /// Bounds ascending, from 1; throws Error(InvalidInput) otherwise.
    explicit LengthBuckets(std::vector<std::int64_t> bounds);

    std::size_t size() const { return bounds_.size() + 1; }
    /// The bucket of a length; an empty sentence is in the first. Throws Error(InvalidInput) below 0.
    std::size_t of(std::int64_t length) const;
    /// "1-10", "11-20", "over-20".
    std::string label(std::size_t bucket) const;

private:
    std::vector<std::int64_t> bounds_;
};

/// An evaluation's result for one sentence.
struct SentenceLoss {
    std::int64_t sourceLength = 0;  ///< tokens
    double nats = 0;                ///< Σ −ln p of its target tokens
    std::int64_t tokens = 0, correct = 0;
};

/// "loss/length:1-10" and "accuracy/length:1-10" of every bucket, over its target tokens (n). An empty bucket is NaN with a
/// reason.
std::vector<MetricValue> lossByLength(const std::vector<SentenceLoss>& sentences, const LengthBuckets& buckets);

/// Parallel lists, one entry per sentence.
struct TranslatedTexts {
    const std::vector<std::int64_t>& sourceLengths;  ///< tokens
    const std::vector<std::string>& hypotheses;
    const std::vector<std::string>& references;
};

/// "bleu/length:1-10" of every bucket: corpus BLEU of its sentences (n). An empty bucket is NaN with a reason. Throws
/// Error(InvalidInput) for unequal numbers.
std::vector<MetricValue> bleuByLength(const TranslatedTexts& texts, const LengthBuckets& buckets, const BleuOptions& options);

}  // namespace heddle
