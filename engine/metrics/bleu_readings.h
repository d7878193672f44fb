// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/metrics/bleu.h"
#include "engine/metrics/metric.h"

#include <string>
#include <vector>

namespace heddle {

struct BleuReadingOptions {
    BleuOptions bleu;
    std::int64_t charposBatch =
        0;  ///< sentences a batch: the mean of the batches' means, as the public lineage has it; 0: of all
};

/// Other definitions of "BLEU" that published tables may use (variants.md 1.6 and E10). Both are diagnostics: the model is
/// given the reference.
struct TeacherForcedReadings {
    MetricValue bleu;  ///< "bleu_teacher_forced": corpus BLEU of the argmax token at every position, given the reference prefix
    MetricValue charpos;  ///< "bleu_charpos": mean over sentences of charpos() on the same words
};

/// Sentences in the same order. Throws Error(InvalidInput) for unequal numbers of sentences, or none.
TeacherForcedReadings teacherForcedReadings(const std::vector<std::string>& teacherForced,
                                            const std::vector<std::string>& references, const BleuReadingOptions& options);

}  // namespace heddle
