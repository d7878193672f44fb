// SPDX-License-Identifier: Apache-2.0
// The control of an experiment: the same experiment with the baseline's variant, made as large as the variant examined.
#pragma once

#include "engine/spec/draft_facts.h"
#include "engine/spec/match.h"

#include <cstdint>
#include <optional>

namespace heddle {

/// Makes the run document of the control: data, budget, seed and record of the draft, and the variant of the baseline. Both
/// arguments are run documents.
Json controlDocument(const Json& draft, const Json& baseline);

struct MatchedControl {
    Json document;
    std::int64_t width = 0, parameters = 0;
};

/// `control` with the feed-forward width whose number of parameters, or of DraftFacts::flops, comes nearest to `wanted`;
/// nothing where no width does. For any thread.
std::optional<MatchedControl> matchedControl(const Json& control, double wanted, const AssumedVocabulary& assumed,
                                             Budget by = Budget::Parameters);

}  // namespace heddle
