// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/variant_spec.h"

#include <cmath>
#include <string>
#include <vector>

namespace heddle {

/// What two variants shall cost the same of.
enum class Budget { Parameters, FlopsPerToken };

/// What a variant costs, by the descriptors; FLOPs forward.
double budgetOf(const VariantSpec& variant, Budget by);

struct MatchRequest {
    Json variant;       ///< the family: a variant document, sizes and all
    double target = 0;  ///< the budget to come near
    Budget by = Budget::Parameters;
    std::vector<std::string> free{"f"};  ///< sizes that may change: "f", "d", "layers" (as many more or fewer in every stack)
};

/// A control that differs by more is none: share of the target. The papers' own controls differ by less than 1 %.
inline constexpr double kMatchTolerance = 0.01;

struct Match {
    Json variant;           ///< the document with the sizes found
    double budget = 0;      ///< what it costs
    double difference = 0;  ///< budget − target

    double target() const { return budget - difference; }
    bool isWithin(double tolerance) const { return std::abs(difference) <= tolerance * target(); }
};

/// The member of the family whose budget is nearest to the target, however far off (isWithin()); of equally near ones that with
/// the smallest change. This is the control with equal parameters of the EAU/GRC paper, section 4.4. Throws Error(InvalidInput)
/// for a size that is not one of the three, or when the free sizes change nothing.
Match matchBudget(const MatchRequest& request);

}  // namespace heddle
