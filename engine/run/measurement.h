// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json_fwd.h"
#include "engine/run/inspection.h"

#include <string>
#include <variant>
#include <vector>

namespace heddle {

/// What interventions cost in the model of a kept checkpoint, as a database keeps it: item kind(run), key().
struct Measurement {
    std::string run;
    std::int64_t step = 0;
    double time = 0;                               ///< Unix time
    std::vector<Intervention> interventions = {};  ///< of an effect; a ranking tries its own
    std::variant<EffectReport, RankReport> report;

    /// Equal for measurements that can be put beside each other: "mute encoder.layers.0.self:1, valid, 256", "rank heads,
    /// valid, 256".
    std::string question() const;
    /// A later measurement of the same model with the same question takes the place of the earlier one.
    std::string key() const;
    static std::string kind(const std::string& run) { return "measurement " + run; }
    /// False for what says nothing, and for a ranking that was stopped before its end: it would take the place of a whole one.
    bool isWorthKeeping() const;

    Json toJson() const;
    /// Throws Error, or an exception of Json, if toJson() did not write the document.
    static Measurement parse(const Json& document);
};

}  // namespace heddle
