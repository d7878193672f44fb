// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/bleu_readings.h"

#include "engine/metrics/charpos.h"
#include "engine/spec/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {
namespace {

constexpr const char* kDiagnostic = "has seen the reference: not comparable with corpus BLEU";

MetricValue bleuValue(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
                      const BleuOptions& options) {
    const BleuScore score = corpusBleu(hypotheses, references, options);
    return {"bleu", score.bleu, score.signature, static_cast<std::int64_t>(hypotheses.size()), ""};
}

MetricValue charposValue(const BleuTexts& texts, const BleuReadingOptions& options) {
    const std::size_t n = texts.references.size();
    const std::size_t batch = options.charposBatch > 0 ? static_cast<std::size_t>(options.charposBatch) : n;
    double sum = 0;
    std::size_t batches = 0;
    for (std::size_t begin = 0; begin < n; begin += batch, ++batches) {
        const std::size_t end = std::min(n, begin + batch);
        double ofBatch = 0;
        for (std::size_t i = begin; i < end; ++i)
            ofBatch +=
                charpos(bleuWords(texts.teacherForced[i], options.bleu), bleuWords(texts.references[i], options.bleu)).score;
        sum += ofBatch / static_cast<double>(end - begin);
    }
    const std::string signature =
        metricSignature("mode:charpos",
                        {{"case", options.bleu.lowercase ? "lc" : "mixed"},
                         {"tok", options.bleu.tokenize},
                         {"mean", options.charposBatch > 0 ? fmt::format("batches-of-{}", options.charposBatch) : "sentences"}},
                        static_cast<std::int64_t>(n));
    return {"bleu_charpos", sum / static_cast<double>(batches), signature, static_cast<std::int64_t>(n), kDiagnostic};
}

}  // namespace

BleuReadings bleuReadings(const BleuTexts& texts, const BleuReadingOptions& options) {
    const std::size_t n = texts.references.size();
    if (texts.freeRunning.size() != n || texts.teacherForced.size() != n || n == 0)
        throwInvalid(fmt::format("{} free-running and {} teacher-forced sentences for {} references", texts.freeRunning.size(),
                                 texts.teacherForced.size(), n),
                     "BLEU", "score the same, non-empty set of sentences");
    BleuReadings readings{bleuValue(texts.freeRunning, texts.references, options.bleu),
                          bleuValue(texts.teacherForced, texts.references, options.bleu), charposValue(texts, options)};
    readings.teacherForced.name = "bleu_teacher_forced";
    readings.teacherForced.signature.insert(0, "mode:teacher_forced|");
    readings.teacherForced.warning = kDiagnostic;
    return readings;
}

}  // namespace heddle
