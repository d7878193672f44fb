// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json_fwd.h"
#include "engine/run/inspection.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

// Parts of "heddle.inspect/1" (resources/help/inspect.md), and the same for people.

/// The level and the method of the intervals.
Json intervalDocument();

Json effectDocument(const EffectReport& report);
std::string effectText(const EffectReport& report);

Json rankDocument(const RankReport& report);
std::string rankText(const RankReport& report);
/// Draws a ranking by mean ablation as SVG. The x axis is the mass, the y axis the change of the loss with its interval.
std::string massPlot(const RankReport& report);

Json textDocument(const std::string& text, const TextEffect& effect);

/// Null for a number that is not finite, which JSON cannot hold.
Json finiteNumber(double value);

// Of a single effect.

Json metricDocument(const MetricEffect& effect);
/// Of a ranking: with the interval for all candidates and the corrected p.
Json rankedDocument(const MetricEffect& effect);
/// "+0.12", "-0.12"
std::string signedText(double value);
/// "[+0.1, +0.2]", or a dash.
std::string effectIntervalText(const std::optional<DifferenceInterval>& interval);
std::string effectPText(const std::optional<double>& p);

/// A line for each reason why effects have no interval, with the names of those effects.
class MissingIntervals {
public:
    void add(const std::string& name, const MetricEffect& effect);
    std::string text() const;

private:
    std::map<std::string, std::vector<std::string>> names_;
};

/// The parts of a model that can be changed.
Json targetsDocument(const InterventionTargets& targets);
std::string targetsText(const InterventionTargets& targets);

}  // namespace heddle::app
