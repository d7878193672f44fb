// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/bleu_readings.h"

#include "engine/base/error.h"
#include "engine/metrics/charpos.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {
namespace {

constexpr const char* kDiagnostic = "has seen the reference: not comparable with corpus BLEU";

MetricValue charposValue(const std::vector<std::string>& forced, const std::vector<std::string>& references,
                         const BleuReadingOptions& options) {
    const std::size_t n = references.size();
    const std::size_t batch = options.charposBatch > 0 ? static_cast<std::size_t>(options.charposBatch) : n;
    double sum = 0;
    std::size_t batches = 0;
    for (std::size_t begin = 0; begin < n; begin += batch, ++batches) {
        const std::size_t end = std::min(n, begin + batch);
        double ofBatch = 0;
        for (std::size_t i = begin; i < end; ++i)
            ofBatch += charpos(bleuWords(forced[i], options.bleu), bleuWords(references[i], options.bleu)).score;
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

TeacherForcedReadings teacherForcedReadings(const std::vector<std::string>& teacherForced,
                                            const std::vector<std::string>& references, const BleuReadingOptions& options) {
    const auto n = static_cast<std::int64_t>(references.size());
    if (teacherForced.size() != references.size() || n == 0)
        throwInvalid(fmt::format("{} teacher-forced sentences for {} references", teacherForced.size(), n), "BLEU",
                     "score the same sentences, at least one");
    const BleuScore score = corpusBleu(teacherForced, references, options.bleu);
    return {{"bleu_teacher_forced", score.bleu, "mode:teacher_forced|" + score.signature, n, kDiagnostic},
            charposValue(teacherForced, references, options)};
}

}  // namespace heddle
