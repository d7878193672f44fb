// SPDX-License-Identifier: Apache-2.0
#include "engine/train/reports.h"

#include <sys/resource.h>

#include <cmath>

namespace heddle {
namespace {

constexpr const char* kAccuracySignature = "teacher-forced|per:token";

std::string lossSignature(double smoothing) { return "ce:nats|smoothing:" + canonicalJson(smoothing) + "|per:token"; }

}  // namespace

EvaluationDone trainMeans(const EpochSums& sums, std::int64_t epoch, double smoothing) {
    const auto tokens = static_cast<std::int64_t>(sums.tokens);
    EvaluationDone done;
    done.epoch = epoch;
    done.split = "train";
    done.values = {{"loss", sums.nll / sums.tokens, lossSignature(0), tokens},
                   {"objective", sums.objective / sums.tokens, lossSignature(smoothing), tokens},
                   {"accuracy", sums.correct / sums.tokens, kAccuracySignature, tokens}};
    return done;
}

EvaluationDone evaluationDone(const std::string& split, std::int64_t epoch, const LossResult& loss,
                              const std::optional<BleuResult>& bleu) {
    EvaluationDone done;
    done.epoch = epoch;
    done.split = split;
    done.values = {{"loss", loss.loss, lossSignature(0), loss.tokens},
                   {"accuracy", loss.accuracy, kAccuracySignature, loss.tokens}};
    if (bleu)
        done.values.push_back(
            {"bleu", bleu->score.bleu, bleu->score.signature, static_cast<std::int64_t>(bleu->hypotheses.size())});
    return done;
}

std::optional<double> metricValue(const EvaluationDone& evaluation, const std::string& metric) {
    for (const auto& value : evaluation.values)
        if (value.metric == metric) return value.value;
    return std::nullopt;
}

bool isImprovement(const std::string& metric, double value, const std::optional<double>& best) {
    if (std::isnan(value)) return false;
    if (!best) return true;
    return metric == "loss" ? value < *best : value > *best;
}

Note memoryNote() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;  // Linux reports KiB
    return {"memory", "peak resident memory " + std::to_string(bytes >> 20) + " MiB", {{"peak_bytes", bytes}}};
}

}  // namespace heddle
