// SPDX-License-Identifier: Apache-2.0
#include "engine/run/patching.h"

namespace heddle {

std::string PatchedPart::text() const { return head == kNoHead ? path : path + ":" + std::to_string(head); }

std::vector<PatchedPart> patchableParts(const InterventionTargets& targets) {
    std::vector<PatchedPart> parts;
    for (const auto& [path, heads] : targets.attentions)
        for (std::int64_t head = 0; head < heads; ++head) parts.push_back({path, head});
    for (const std::string& path : targets.residuals) parts.push_back({path});
    return parts;
}

}  // namespace heddle
