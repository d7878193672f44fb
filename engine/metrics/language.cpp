// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/language.h"

#include <cmath>
#include <numbers>

namespace heddle {
namespace {

MetricValue bitsPer(const std::string& unit, double nats, std::int64_t n) {
    const std::string name = "bits_per_" + unit;
    return {name, nats / std::numbers::ln2 / static_cast<double>(n), metricSignature(name, {{"base", "2"}}, n), n, ""};
}

}  // namespace

std::vector<MetricValue> languageValues(const LanguageTotals& totals) {
    const std::string signature = metricSignature("ppl", {{"per", "token"}, {"counted", "tokens+eos"}}, totals.tokens);
    const bool isDefined = totals.tokens > 0 && !std::isnan(totals.nats);
    if (!isDefined) {
        const std::string why = totals.tokens > 0 ? "the loss is not a number" : "no tokens were predicted";
        return {undefinedMetric("perplexity", signature, why),
                undefinedMetric("bits_per_token", metricSignature("bits_per_token", {{"base", "2"}}, totals.tokens), why)};
    }
    const double perplexity = std::exp(totals.nats / static_cast<double>(totals.tokens));
    std::vector<MetricValue> values{{"perplexity", perplexity, signature, totals.tokens, ""},
                                    bitsPer("token", totals.nats, totals.tokens)};
    if (std::isinf(perplexity)) values[0].warning = "too large for a floating-point number: see bits_per_token";
    if (totals.characters > 0) values.push_back(bitsPer("character", totals.nats, totals.characters));
    if (totals.bytes > 0) values.push_back(bitsPer("byte", totals.nats, totals.bytes));
    return values;
}

}  // namespace heddle
