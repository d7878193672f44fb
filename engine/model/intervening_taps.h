// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/connections.h"
#include "engine/run/interventions.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace heddle {

/// What a list of interventions does at the taps of one variant. Made once, immutable, read by any thread. Neutral blocks are
/// changes to parameters (NeutralWeights) and do nothing here.
class TapChanges {
public:
    TapChanges() = default;
    /// The list must be one that checkInterventions() accepts; changes of one tap come in its order.
    TapChanges(const std::vector<Intervention>& interventions, const ResolvedVariant& variant);

    /// `value` with the changes of this tap, "<module>.<exposure>".
    at::Tensor changed(const std::string& tap, const at::Tensor& value) const;
    bool changes(const std::string& tap) const { return changes_.contains(tap); }
    bool cuts(const std::string& connection) const { return cuts_.contains(connection); }

private:
    struct Change {
        enum class Kind { Mute, Clamp, ClampShown, Scale } kind;  ///< ClampShown: 0 stays 0
        std::int64_t head = 0;
        double number = 0;
    };
    static at::Tensor apply(const Change& change, const at::Tensor& value);

    std::map<std::string, std::vector<Change>> changes_;
    std::set<std::string> cuts_;
};

/// Taps that change a forward pass; `inner` sees the changed values and may be null. Both must outlive it.
class InterveningTaps final : public Taps, public CuttingTaps {
public:
    InterveningTaps(const TapChanges& changes, Taps* inner) : changes_(changes), inner_(inner) {}

    at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& value) override;
    bool wants(const std::string& module, const char* exposure) const override;
    bool replaces(const std::string& module, const char* exposure) const override;
    bool cuts(const std::string& module, const char* connection) const override;

private:
    const TapChanges& changes_;
    Taps* inner_;
};

}  // namespace heddle
