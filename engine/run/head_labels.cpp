// SPDX-License-Identifier: Apache-2.0
#include "engine/run/head_labels.h"

#include <algorithm>
#include <utility>

namespace heddle {

std::vector<std::string> labelsOf(const HeadScores& scores) {
    const std::pair<const char*, std::optional<double>> all[] = {
        {"previous token", scores.previous},
        {"current token", scores.current},
        {"next token", scores.next},
        {"first token", scores.first},
        {"duplicate token", scores.duplicate},
        {"induction", scores.induction},
        {"copying", scores.copying},
        {"alignment", scores.errorRate ? std::optional(1 - *scores.errorRate) : std::nullopt}};
    std::vector<std::pair<double, std::string>> above;
    for (const auto& [title, score] : all)
        if (score && *score >= kLabelThreshold) above.emplace_back(*score, title);
    std::stable_sort(above.begin(), above.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::string> labels;
    for (auto& [score, title] : above) labels.push_back(std::move(title));
    return labels;
}

}  // namespace heddle
