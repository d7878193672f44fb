// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/counted.h"

#include "engine/base/split.h"

#include <cstdlib>

namespace heddle {

Counted countedBy(std::string_view metric, std::string_view signature) {
    using Quantity = Counted::Quantity;
    Counted counted;
    if (metric == "accuracy") counted.quantity = Quantity::Right;
    for (const auto& part : splitAt(signature, '|')) {
        const std::string_view text = part;
        if (text == "ce:nats") counted.quantity = Quantity::Nats;
        if (text == "mse") counted.quantity = Quantity::SquaredError;
        if (text.starts_with("hinge:")) counted.quantity = Quantity::Hinge;
        if (text == "teacher-forced") counted.isTeacherForced = true;
        if (text.starts_with("per:")) counted.per = text.substr(4);
        if (text.starts_with("smoothing:")) counted.smoothing = std::strtod(std::string(text.substr(10)).c_str(), nullptr);
    }
    return counted;
}

std::string unitWords(const Counted& counted) {
    const std::string per = counted.per.empty() ? "" : " per " + counted.per;
    switch (counted.quantity) {
    case Counted::Quantity::Nats: return "nats" + per;
    case Counted::Quantity::SquaredError: return "squared error" + per;
    case Counted::Quantity::Hinge: return "hinge loss" + per;
    case Counted::Quantity::Right:
        return (counted.per.empty() ? "share right" : "share of " + counted.per + "s right") +
               (counted.isTeacherForced ? ", teacher forcing" : "");
    case Counted::Quantity::Other: break;
    }
    return {};
}

}  // namespace heddle
