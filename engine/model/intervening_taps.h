// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/connections.h"
#include "engine/model/ablation.h"
#include "engine/run/interventions.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// What a list of interventions does at the taps of one variant. Made once, immutable, read by any thread. Neutral blocks are
/// changes to parameters (NeutralWeights) and do nothing here.
class TapChanges {
public:
    TapChanges() = default;
    /// The list must be one that checkInterventions() accepts; changes of one tap come in its order. `means`: of every
    /// MeanOutput in the list (OutputSums).
    TapChanges(const std::vector<Intervention>& interventions, const ResolvedVariant& variant, const OutputMeans& means = {});

    /// `value` with the changes of this tap, "<module>.<exposure>". `padding_BS`: of the pass, bool; undefined: there is none,
    /// or it is not read.
    at::Tensor changed(const std::string& tap, const at::Tensor& value, const at::Tensor& padding_BS) const;
    bool changes(const std::string& tap) const { return changes_.contains(tap); }
    bool cuts(const std::string& connection) const { return cuts_.contains(connection); }
    /// Whether a change depends on where the padding of the pass is.
    bool readsPadding() const { return readsPadding_; }

private:
    struct Change {
        enum class Kind { Mute, Mean, Resample, Clamp, ClampShown, Scale } kind;  ///< ClampShown: 0 stays 0
        std::int64_t head = 0;
        double number = 0;
        at::Tensor mean = {};
    };
    static at::Tensor apply(const Change& change, const at::Tensor& value, const at::Tensor& padding_BS);

    std::map<std::string, std::vector<Change>> changes_;
    std::set<std::string> cuts_;
    bool readsPadding_ = false;
};

/// A forward pass that is changed: what sees the changed values, what adds up the values before the changes, and padding_BS, as
/// in TapChanges::changed(). Both may be null and must outlive the taps.
struct ChangedPass {
    Taps* inner = nullptr;
    OutputSums* sums = nullptr;
    at::Tensor padding_BS = {};
};

/// Taps that change a forward pass. The changes must outlive them.
class InterveningTaps final : public Taps, public CuttingTaps {
public:
    InterveningTaps(const TapChanges& changes, ChangedPass pass) : changes_(changes), pass_(std::move(pass)) {}

    at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& value) override;
    bool wants(const std::string& module, const char* exposure) const override;
    bool replaces(const std::string& module, const char* exposure) const override;
    bool cuts(const std::string& module, const char* connection) const override;

private:
    const TapChanges& changes_;
    ChangedPass pass_;
};

}  // namespace heddle
