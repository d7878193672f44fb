// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/run_spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Inputs of a learning rate besides the spec.
struct SchedulePlace {
    std::int64_t step = 1;        ///< the update, from 1
    std::int64_t d = 0;           ///< noam: dims.d, or dims.base_d where it is set
    std::int64_t lastStep = 0;    ///< of the run; the end of linear, cosine and wsd if the spec does not state it; 0: unknown
    std::int64_t reductions = 0;  ///< plateau: number of reductions so far
};

/// Learning rate of an update. w: warm-up, s: step, e: last step; f(s) = (e − s) / (e − w), from 1 down to 0.
///   constant               lr
///   noam                   factor · d^-½ · min(s^-½, s · w^-1½)        Vaswani et al. 2017, eq. 3
///   noam_peak              lr · min(s / w, √(w / s))
///   constant_after_warmup  lr · min(1, s / w)
///   linear                 lr · s / w, then lr · (end + (1 − end) · f(s))                Devlin et al. 2019, appendix A.2
///   cosine                 lr · s / w, then lr · (end + (1 − end) · ½ (1 + cos π (1 − f(s))))
///                          Loshchilov and Hutter 2017, eq. 5
///   plateau                lr · min(1, s / w) · max(end, plateau_factor^reductions)
///   wsd                    lr · min(1, s / w) · (end + (1 − end) · h(g)), g = min(1, (e − s) / D), which falls from 1 to 0
///                          over the last D = decay · e steps; h(g) = g (Hu et al. 2024, section 4.2) or 1 − √(1 − g)
///                          (Hägele et al. 2024, equation 1)
/// Throws Error(InvalidInput) for a step below 1, and for linear, cosine or a wsd that falls without a last step.
double learningRate(const TrainSpec& spec, const SchedulePlace& place);

/// Whether the fall of the rate ends with the run, so that a new limit would change the rate of every step.
bool endsWithRun(const TrainSpec& spec);

/// What is odd about the schedule of a run that ends after `lastStep` (0: unknown): a warm-up that does not end, or a rate of 0
/// before the run's end.
std::vector<std::string> scheduleWarnings(const TrainSpec& spec, std::int64_t lastStep);

/// The steps after which a run was extended, from its stored spec (train.extended); none for most runs and for a text that is
/// no spec.
std::vector<std::int64_t> extensionsIn(const std::string& spec);

}  // namespace heddle
