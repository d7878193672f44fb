// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/metrics/metric.h"

#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// What two answers are compared by: lower-cased, without ASCII punctuation, without the words a, an and the, words one space
/// apart.
std::string normaliseAnswer(std::string_view text);

struct AnswerScore {
    bool exact = false;
    double f1 = 0;  ///< of the bags of words
};

/// The best over `answers`. No answers, or none but articles and punctuation, mean that the question has none: then only an
/// empty answer is right.
AnswerScore scoreAnswer(const std::string& predicted, const std::vector<std::string>& answers);

/// "exact_match" and "f1" over all questions, as shares; where some of them have no answer, also "exact_match/answerable",
/// "f1/answerable" and the same of "/unanswerable". Equal to SQuAD's official script, version 2.0 (Rajpurkar et al. 2018), an
/// empty prediction standing for "no answer". `reading`: how the answers were found, which the signature says too. Throws
/// Error(InvalidInput) for unequal numbers, or none.
std::vector<MetricValue> answerValues(const std::vector<std::string>& predicted,
                                      const std::vector<std::vector<std::string>>& answers, const SignatureParts& reading = {});

}  // namespace heddle
