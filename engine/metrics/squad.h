// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/metrics/metric.h"

#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Normalises an answer for comparison: lower case, no ASCII punctuation, no articles (a, an, the), words separated by one
/// space.
std::string normaliseAnswer(std::string_view text);

/// The official script whose rule counts: 1.1 knows no question without an answer.
enum class SquadRule { V1, V2 };

struct AnswerScore {
    bool exact = false;
    double f1 = 0;  ///< of the bags of words
};

/// The best score over `answers`. V2: when `answers` is empty or normalises to nothing, the question has no answer and only an
/// empty prediction is right. V1: texts without a word in common have an F1 of 0, also if both normalise to nothing.
AnswerScore scoreAnswer(const std::string& predicted, const std::vector<std::string>& answers, SquadRule rule = SquadRule::V2);

/// "exact_match" and "f1" over all questions, as shares; where some of them have no answer, also "exact_match/answerable",
/// "f1/answerable" and the same of "/unanswerable". Equal to SQuAD's official scripts: version 2.0 (Rajpurkar et al. 2018), an
/// empty prediction standing for "no answer", or 1.1 (2016) where every question has an answer. `reading`: how the answers were
/// extracted, added to the signature. Throws Error(InvalidInput) for unequal numbers, or none.
std::vector<MetricValue> answerValues(const std::vector<std::string>& predicted,
                                      const std::vector<std::vector<std::string>>& answers, const SignatureParts& reading = {});

}  // namespace heddle
