// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace heddle {

/// What a loss or an accuracy counts, as its signature says it: "ce:nats|smoothing:0.1|per:token", "mse|per:example",
/// "teacher-forced|per:token".
struct Counted {
    enum class Quantity { Nats, SquaredError, Hinge, Right, Other };
    Quantity quantity = Quantity::Other;  ///< Right: the share of right answers
    std::string per;                      ///< "token", "example", "word", "border"; empty: not said
    double smoothing = 0;                 ///< of the labels
    bool isTeacherForced = false;
};
/// Of the signature of "loss", "objective" or "accuracy".
Counted countedBy(std::string_view metric, std::string_view signature);

/// "nats per token", "squared error per example", "share of tokens right, teacher forcing"; empty if the signature does not say
/// it.
std::string unitWords(const Counted& counted);

}  // namespace heddle
