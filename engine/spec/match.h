// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/draft_facts.h"
#include "engine/spec/variant_spec.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// The quantity that two variants should have in common.
enum class Budget { Parameters, FlopsPerToken };

/// The variant's budget by the descriptors; forward FLOPs.
double budgetOf(const VariantSpec& variant, Budget by);

struct MatchRequest {
    Json variant;       ///< the family: a variant document with sizes
    double target = 0;  ///< the budget to approximate
    Budget by = Budget::Parameters;
    std::vector<std::string> free{"f"};  ///< sizes that may change: "f", "d", "layers" (equally in every stack)
};

/// Maximum relative difference of a valid control. Those of the papers differ by less than 1 %.
inline constexpr double kMatchTolerance = 0.01;

struct Match {
    Json variant;           ///< the document with the sizes found
    double budget = 0;      ///< its budget
    double difference = 0;  ///< budget − target

    double target() const { return budget - difference; }
    bool isWithin(double tolerance) const { return std::abs(difference) <= tolerance * target(); }
};

/// The member of the family whose budget is nearest to the target, at any distance (check isWithin()); of equally near ones the
/// one with the smallest change. This is the control with equal parameters of the EAU/GRC paper, section 4.4. Throws
/// Error(InvalidInput) for an unknown size, or when the free sizes do not change the budget.
Match matchBudget(const MatchRequest& request);

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
