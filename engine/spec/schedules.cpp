// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/schedules.h"

#include "engine/base/error.h"
#include "engine/base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace heddle {
namespace {

/// The step at which the fall ends.
std::int64_t endOf(const TrainSpec& spec, const SchedulePlace& place) {
    const std::int64_t end = spec.scheduleSteps > 0 ? spec.scheduleSteps : place.lastStep;
    if (end <= 0)
        throwInvalid(fmt::format("schedule {} needs its last step", wordOf(spec.schedule)), "train.schedule.steps",
                     "set it, or train.steps or train.epochs");
    return end;
}

/// Remaining share of the decay, 1 … 0.
double remainingDecay(const TrainSpec& spec, const SchedulePlace& place) {
    const std::int64_t end = endOf(spec, place);
    const bool isWsd = spec.schedule == ScheduleKind::Wsd;
    const std::int64_t steps = isWsd ? std::llround(spec.scheduleDecay * static_cast<double>(end)) : end - spec.warmup;
    const auto fall = static_cast<double>(std::max<std::int64_t>(1, steps));
    return std::clamp(static_cast<double>(end - place.step) / fall, 0.0, 1.0);
}

bool hasFall(const TrainSpec& spec) {
    const ScheduleKind kind = spec.schedule;
    return kind == ScheduleKind::Linear || kind == ScheduleKind::Cosine ||
           (kind == ScheduleKind::Wsd && spec.scheduleDecay > 0);
}

/// The height of the rate where so much of the decay remains.
double heightOf(const TrainSpec& spec, double left) {
    if (spec.schedule == ScheduleKind::Cosine) return (1 + std::cos(std::numbers::pi * (1 - left))) / 2;
    const bool isRoot = spec.schedule == ScheduleKind::Wsd && spec.decayShape == DecayShape::Sqrt;
    return isRoot ? 1 - std::sqrt(1 - left) : left;
}

}  // namespace

double learningRate(const TrainSpec& spec, const SchedulePlace& place) {
    if (place.step < 1) throwInvalid(fmt::format("invalid step {}", place.step), "train.schedule", "steps are counted from 1");
    const auto s = static_cast<double>(place.step);
    const auto w = static_cast<double>(std::max<std::int64_t>(1, spec.warmup));
    const double rise = spec.warmup > 0 ? std::min(1.0, s / w) : 1.0;
    switch (spec.schedule) {
    case ScheduleKind::Constant: return spec.lr;
    case ScheduleKind::Noam:
        return spec.noamFactor * std::pow(static_cast<double>(place.d), -0.5) *
               std::min(std::pow(s, -0.5), s * std::pow(w, -1.5));
    case ScheduleKind::NoamPeak: return spec.lr * std::min(s / w, std::sqrt(w / s));
    case ScheduleKind::ConstantAfterWarmup: return spec.lr * rise;
    case ScheduleKind::Plateau:
        return spec.lr * rise * std::max(spec.scheduleEnd, std::pow(spec.plateauFactor, static_cast<double>(place.reductions)));
    case ScheduleKind::Linear:
    case ScheduleKind::Cosine:
    case ScheduleKind::Wsd: break;
    }
    if (rise < 1 || !hasFall(spec)) return spec.lr * rise;
    const double height = heightOf(spec, remainingDecay(spec, place));
    return spec.lr * (spec.scheduleEnd + (1 - spec.scheduleEnd) * height);
}

bool endsWithRun(const TrainSpec& spec) { return hasFall(spec) && spec.scheduleSteps == 0; }

std::vector<std::string> scheduleWarnings(const TrainSpec& spec, std::int64_t lastStep) {
    std::vector<std::string> warnings;
    if (lastStep <= 0 || spec.schedule == ScheduleKind::Constant) return warnings;
    if (spec.warmup > lastStep)
        warnings.push_back(
            fmt::format("the warm-up is longer than the run: train.schedule.warmup is {} steps, the run has {}, and its "
                        "learning rate rises "
                        "to {:.2g} % of the highest one",
                        spec.warmup, lastStep, 100.0 * static_cast<double>(lastStep) / static_cast<double>(spec.warmup)));
    const std::int64_t end = std::max(spec.scheduleSteps, spec.warmup);
    if (hasFall(spec) && spec.scheduleSteps > 0 && spec.scheduleEnd == 0 && end < lastStep)
        warnings.push_back(
            fmt::format("the learning rate is 0 from step {} to the run's last step, {}: schedule {} has ended, and nothing is "
                        "learned; see train.schedule.steps and train.schedule.end",
                        end, lastStep, wordOf(spec.schedule)));
    return warnings;
}

std::vector<std::int64_t> extensionsIn(const std::string& spec) {
    if (spec.find("\"extended\"") == std::string::npos) return {};
    const Json document = Json::parse(spec, nullptr, false);
    const Json::json_pointer place("/train/extended");
    if (!document.is_object() || !document.contains(place) || !document.at(place).is_array()) return {};
    std::vector<std::int64_t> steps;
    for (const Json& step : document.at(place))
        if (step.is_number_integer()) steps.push_back(step.get<std::int64_t>());
    return steps;
}

}  // namespace heddle
