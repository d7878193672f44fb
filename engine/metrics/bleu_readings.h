// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/metrics/bleu.h"
#include "engine/metrics/metric.h"

#include <string>
#include <vector>

namespace heddle {

/// Three texts of the same sentences, in the same order.
struct BleuTexts {
    const std::vector<std::string>& freeRunning;    ///< the model's own translations
    const std::vector<std::string>& teacherForced;  ///< its best word at every position, given the reference before it
    const std::vector<std::string>& references;
};

/// The numbers that published tables may mean by "BLEU" (variants.md 1.6 and E10). Only the first is one.
struct BleuReadings {
    MetricValue freeRunning;    ///< "bleu": corpus BLEU; signature sacreBLEU's
    MetricValue teacherForced;  ///< "bleu_teacher_forced": the same of text that has seen the reference: a diagnostic
    MetricValue charpos;        ///< "bleu_charpos": mean over sentences of charpos() on the teacher-forced words: a diagnostic
};

struct BleuReadingOptions {
    BleuOptions bleu;
    std::int64_t charposBatch =
        0;  ///< sentences a batch: the mean of the batches' means, as the public lineage has it; 0: of all
};

/// Throws Error(InvalidInput) for unequal numbers of sentences, or none.
BleuReadings bleuReadings(const BleuTexts& texts, const BleuReadingOptions& options);

}  // namespace heddle
