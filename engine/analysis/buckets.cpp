// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/buckets.h"

#include "engine/base/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {
namespace {

std::string nameIn(const std::string& metric, const LengthBuckets& buckets, std::size_t bucket) {
    return metric + "/length:" + buckets.label(bucket);
}

MetricValue shareOf(MetricValue value, double sum) {
    if (value.n == 0) return undefinedMetric(value.name, value.signature, "no sentences of this length");
    value.value = sum / static_cast<double>(value.n);
    return value;
}

}  // namespace

LengthBuckets::LengthBuckets(std::vector<std::int64_t> bounds) : bounds_(std::move(bounds)) {
    const bool ascends = std::adjacent_find(bounds_.begin(), bounds_.end(), std::greater_equal<>()) == bounds_.end();
    if (bounds_.empty() || bounds_.front() < 1 || !ascends)
        throwInvalid("the bounds must be whole numbers of at least 1, in ascending order", "length buckets",
                     "write them like 10, 20, 30");
}

std::size_t LengthBuckets::of(std::int64_t length) const {
    if (length < 0) throwInvalid(fmt::format("a length of {}", length), "length buckets", "count tokens from 0");
    return static_cast<std::size_t>(std::lower_bound(bounds_.begin(), bounds_.end(), length) - bounds_.begin());
}

std::string LengthBuckets::label(std::size_t bucket) const {
    if (bucket >= bounds_.size()) return fmt::format("over-{}", bounds_.back());
    return fmt::format("{}-{}", bucket == 0 ? 1 : bounds_[bucket - 1] + 1, bounds_[bucket]);
}

std::vector<MetricValue> lossByLength(const std::vector<SentenceLoss>& sentences, const LengthBuckets& buckets) {
    std::vector<SentenceLoss> sums(buckets.size());
    for (const SentenceLoss& sentence : sentences) {
        SentenceLoss& sum = sums[buckets.of(sentence.sourceLength)];
        sum.nats += sentence.nats;
        sum.tokens += sentence.tokens;
        sum.correct += sentence.correct;
    }
    std::vector<MetricValue> values;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const SignatureParts parts{{"per", "token"}, {"source_length", buckets.label(i)}};
        const std::int64_t n = sums[i].tokens;
        values.push_back(shareOf({nameIn("loss", buckets, i), 0, metricSignature("ce:nats", parts, n), n, ""}, sums[i].nats));
        values.push_back(shareOf({nameIn("accuracy", buckets, i), 0, metricSignature("acc|teacher-forced", parts, n), n, ""},
                                 static_cast<double>(sums[i].correct)));
    }
    return values;
}

std::vector<MetricValue> bleuByLength(const TranslatedTexts& texts, const LengthBuckets& buckets, const BleuOptions& options) {
    const std::size_t n = texts.references.size();
    if (texts.hypotheses.size() != n || texts.sourceLengths.size() != n)
        throwInvalid(fmt::format("{} hypotheses and {} lengths for {} references", texts.hypotheses.size(),
                                 texts.sourceLengths.size(), n),
                     "BLEU by length", "give one hypothesis and one length for every reference");
    std::vector<std::vector<std::string>> hypotheses(buckets.size()), references(buckets.size());
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t bucket = buckets.of(texts.sourceLengths[i]);
        hypotheses[bucket].push_back(texts.hypotheses[i]);
        references[bucket].push_back(texts.references[i]);
    }
    std::vector<MetricValue> values;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        const std::string name = nameIn("bleu", buckets, i), label = buckets.label(i);
        if (references[i].empty()) {
            const std::string signature = metricSignature("bleu", {{"source_length", label}}, 0);
            values.push_back(undefinedMetric(name, signature, "no sentences of this length"));
            continue;
        }
        const BleuScore score = corpusBleu(hypotheses[i], references[i], options);
        values.push_back({name, score.bleu, "source_length:" + label + "|" + score.signature,
                          static_cast<std::int64_t>(references[i].size()), ""});
    }
    return values;
}

}  // namespace heddle
