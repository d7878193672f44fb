// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/metric.h"

#include "engine/base/error.h"
#include "engine/base/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace heddle {
namespace {

using K = MetricKind;

constexpr bool kHigher = true, kLower = false;

// A loss has no fixed unit: nats per token, nats per example or a squared error; its signature says which.
constexpr std::array kMetrics{
    MetricInfo{"loss", "loss", "", K::Loss, kLower, 3},
    MetricInfo{"accuracy", "accuracy", "%", K::Share, kHigher, 1},
    MetricInfo{"bleu", "BLEU", "0 to 100", K::Score, kHigher, 2},
    MetricInfo{"bleu_teacher_forced", "BLEU teacher forced", "0 to 100", K::Score, kHigher, 2},
    MetricInfo{"bleu_charpos", "charpos", "0 to 100", K::Score, kHigher, 2},
    MetricInfo{"chrf", "chrF", "0 to 100", K::Score, kHigher, 2},
    MetricInfo{"chrf++", "chrF++", "0 to 100", K::Score, kHigher, 2},
    MetricInfo{"f1", "F1", "%", K::Share, kHigher, 1},
    MetricInfo{"macro_f1", "macro F1", "%", K::Share, kHigher, 1},
    MetricInfo{"micro_f1", "micro F1", "%", K::Share, kHigher, 1},
    MetricInfo{"precision", "precision", "%", K::Share, kHigher, 1},
    MetricInfo{"recall", "recall", "%", K::Share, kHigher, 1},
    MetricInfo{"matthews", "Matthews correlation", "", K::Correlation, kHigher, 3},
    MetricInfo{"pearson", "Pearson correlation", "", K::Correlation, kHigher, 3},
    MetricInfo{"spearman", "Spearman correlation", "", K::Correlation, kHigher, 3},
    MetricInfo{"pearson_spearman", "Pearson-Spearman mean", "", K::Correlation, kHigher, 3},
    MetricInfo{"span_f1", "span F1", "%", K::Share, kHigher, 1},
    MetricInfo{"macro_span_f1", "macro span F1", "%", K::Share, kHigher, 1},
    MetricInfo{"exact_match", "exact match", "%", K::Share, kHigher, 1},
    MetricInfo{"perplexity", "perplexity", "", K::Loss, kLower, 2},
    MetricInfo{"bits_per_token", "bits a token", "bits", K::Loss, kLower, 3},
    MetricInfo{"bits_per_character", "bits a character", "bits", K::Loss, kLower, 3},
    MetricInfo{"bits_per_byte", "bits a byte", "bits", K::Loss, kLower, 3},
    MetricInfo{"objective", "objective", "", K::Loss, kLower, 3},
    MetricInfo{"decode_seconds", "decoding time", "s", K::Measure, kLower, 2},
    MetricInfo{"decode_seconds_uncached", "decoding time, one by one, no cache", "s", K::Measure, kLower, 2},
    MetricInfo{"majority_rate", "majority class", "%", K::Share, kHigher, 1},
    MetricInfo{"predicted", "predictions", "", K::Measure, kHigher, 0},
    MetricInfo{"attention_distance", "attention distance", "tokens", K::Measure, kHigher, 2},
    MetricInfo{"attention_distance_relative", "relative attention distance", "%", K::Share, kHigher, 1},
    MetricInfo{"attention_entropy", "attention entropy", "bits", K::Measure, kHigher, 3},
    MetricInfo{"attention_sink", "attention on the first token", "%", K::Share, kLower, 1},
    MetricInfo{"attention_logit", "highest attention score", "", K::Measure, kLower, 2},
    MetricInfo{"update_ratio", "update over weights", "", K::Measure, kLower, 5},
    MetricInfo{"stream_norm", "length of the residual stream", "", K::Measure, kLower, 2},
    MetricInfo{"stream_norm_max", "greatest length of the residual stream", "", K::Measure, kLower, 2},
    MetricInfo{"noise_scale", "gradient noise scale", "labels", K::Measure, kLower, 0},
    MetricInfo{"gradient_noise", "gradient noise", "", K::Measure, kLower, 4},
    MetricInfo{"gradient_signal", "gradient signal", "", K::Measure, kHigher, 6},
    MetricInfo{"score_magnitude", "score magnitude", "", K::Measure, kHigher, 3},
    MetricInfo{"head_cosine", "cosine of heads' scores", "", K::Correlation, kHigher, 3},
    MetricInfo{"head_divergence", "divergence of heads' weights", "bits", K::Measure, kHigher, 3},
};

}  // namespace

std::string metricSignature(std::string_view head, const SignatureParts& parts, std::int64_t n) {
    std::string text(head);
    for (const auto& [key, value] : parts) text += fmt::format("|{}:{}", key, value);
    return text + fmt::format("|n:{}|version:heddle-{}", n, HEDDLE_VERSION);
}

MetricValue undefinedMetric(std::string name, std::string signature, std::string why) {
    return {std::move(name), std::numeric_limits<double>::quiet_NaN(), std::move(signature), 0, std::move(why)};
}

std::span<const MetricInfo> metricInfos() { return kMetrics; }

const MetricInfo* findMetric(std::string_view name) {
    const std::string_view whole = name.substr(0, name.find('/'));
    const auto* const found =
        std::find_if(kMetrics.begin(), kMetrics.end(), [whole](const MetricInfo& info) { return info.name == whole; });
    return found == kMetrics.end() ? nullptr : found;
}

const MetricInfo& metricInfo(std::string_view name) {
    if (const MetricInfo* info = findMetric(name)) return *info;
    std::vector<std::string> known;
    for (const MetricInfo& info : kMetrics) known.emplace_back(info.name);
    throwInvalid(fmt::format("unknown metric \"{}\"", name), "metric", suggestion(std::string(name), known));
}

}  // namespace heddle
