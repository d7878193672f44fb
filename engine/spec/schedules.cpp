// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/schedules.h"

#include "engine/base/error.h"
#include "engine/spec/field_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace heddle {
namespace {

/// Remaining share of the decay, 1 … 0.
double remainingDecay(const TrainSpec& spec, const SchedulePlace& place) {
    const std::int64_t end = spec.scheduleSteps > 0 ? spec.scheduleSteps : place.lastStep;
    if (end <= 0)
        throwInvalid(fmt::format("schedule {} needs to know where it ends", spec.schedule), "train.schedule.steps",
                     "set it, or limit the run by train.steps or train.epochs");
    const auto fall = static_cast<double>(std::max<std::int64_t>(1, end - spec.warmup));
    return std::clamp(static_cast<double>(end - place.step) / fall, 0.0, 1.0);
}

}  // namespace

std::vector<std::string> scheduleNames() {
    return {"constant", "noam", "noam_peak", "constant_after_warmup", "linear", "cosine", "plateau"};
}

double learningRate(const TrainSpec& spec, const SchedulePlace& place) {
    if (place.step < 1)
        throwInvalid(fmt::format("no learning rate for step {}", place.step), "train.schedule", "steps count from 1");
    const std::string& kind = spec.schedule;
    const auto s = static_cast<double>(place.step);
    const auto w = static_cast<double>(std::max<std::int64_t>(1, spec.warmup));
    const double rise = spec.warmup > 0 ? std::min(1.0, s / w) : 1.0;
    if (kind == "constant") return spec.lr;
    if (kind == "noam")
        return spec.noamFactor * std::pow(static_cast<double>(place.d), -0.5) *
               std::min(std::pow(s, -0.5), s * std::pow(w, -1.5));
    if (kind == "noam_peak") return spec.lr * std::min(s / w, std::sqrt(w / s));
    if (kind == "constant_after_warmup") return spec.lr * rise;
    if (kind == "plateau")
        return spec.lr * rise * std::max(spec.scheduleEnd, std::pow(spec.plateauFactor, static_cast<double>(place.reductions)));
    if (kind != "linear" && kind != "cosine")
        throwInvalid(fmt::format("unknown schedule \"{}\"", kind), "train.schedule", suggestion(kind, scheduleNames()));
    if (rise < 1) return spec.lr * rise;
    const double left = remainingDecay(spec, place);
    const double height = kind == "linear" ? left : (1 + std::cos(std::numbers::pi * (1 - left))) / 2;
    return spec.lr * (spec.scheduleEnd + (1 - spec.scheduleEnd) * height);
}

}  // namespace heddle
