// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/comparable.h"

#include "engine/base/split.h"

namespace heddle {
namespace {

/// The metric's rule in a signature.
std::string ruleOf(const std::string& signature) {
    std::string rule;
    for (const std::string& part : splitAt(signature, '|'))
        if (!part.starts_with(kMovingAverage)) rule += (rule.empty() ? "" : "|") + part;
    return rule;
}

}  // namespace

std::string reasonOf(Unlike unlike) {
    switch (unlike) {
    case Unlike::Count: return "n differs";
    case Unlike::Signature: return "signature differs";
    case Unlike::Data: return "data differ";
    }
    return {};
}

std::string reasonsOf(const std::vector<Unlike>& unlike) {
    std::string reasons;
    for (const Unlike reason : unlike) reasons += (reasons.empty() ? "" : ", ") + reasonOf(reason);
    return reasons;
}

std::vector<Unlike> unlike(const Measured& value, const Measured& reference) {
    std::vector<Unlike> reasons;
    if (value.n != reference.n) reasons.push_back(Unlike::Count);
    if (value.signature != reference.signature && ruleOf(value.signature) != ruleOf(reference.signature))
        reasons.push_back(Unlike::Signature);
    if (!value.data.empty() && !reference.data.empty() && value.data != reference.data) reasons.push_back(Unlike::Data);
    return reasons;
}

}  // namespace heddle
