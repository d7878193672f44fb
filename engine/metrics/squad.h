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

struct AnswerScore {
    bool exact = false;
    double f1 = 0;  ///< of the bags of words
};

/// The best score over `answers`. When `answers` is empty or normalises to nothing, the question has no answer and only an
/// empty prediction is right.
AnswerScore scoreAnswer(const std::string& predicted, const std::vector<std::string>& answers);

/// "exact_match" and "f1" over all questions, as shares; where some of them have no answer, also "exact_match/answerable",
/// "f1/answerable" and the same of "/unanswerable". Equal to SQuAD's official script, version 2.0 (Rajpurkar et al. 2018), an
/// empty prediction standing for "no answer". `reading`: how the answers were extracted, added to the signature. Throws
/// Error(InvalidInput) for unequal numbers, or none.
std::vector<MetricValue> answerValues(const std::vector<std::string>& predicted,
                                      const std::vector<std::vector<std::string>>& answers, const SignatureParts& reading = {});

}  // namespace heddle
