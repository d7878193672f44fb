// SPDX-License-Identifier: Apache-2.0
// Whether the rows of a study differ in anything but what the study asks: each check says what was found in one sentence.
#pragma once

#include "engine/analysis/study.h"
#include "engine/spec/diff.h"
#include "engine/spec/run_spec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// Where an attempt of a run was trained, as it recorded.
struct TrainedOn {
    std::string device;  ///< "cuda:0, NVIDIA H100"
    std::string host, program, torch, precision;
    std::int64_t threads = 0;
    bool operator==(const TrainedOn&) const = default;
};

/// A run that a study plans, and what the database knows of it.
struct ReportedRun {
    std::string row;
    RunSpec spec;
    std::string id, state;  ///< empty and "new" for a run that has not begun
    std::size_t times = 0;  ///< completed runs with its spec
    std::optional<double> value{};
    std::int64_t parameters = 0, steps = 0;  ///< 0: not known
    std::optional<double> flops{};      ///< of training, for a source and a target token (engine/spec/cost.h), at dims.max_len
    double seconds = 0;                 ///< over all attempts
    std::int64_t peakBytes = 0;         ///< the most of its attempts
    std::vector<TrainedOn> attempts{};  ///< equal ones once
    FileContents contents{};            ///< SHA-256 of its data files; empty: not known
    std::vector<std::int64_t> extended{};  ///< the steps after which it was given new limits
    bool isIntervened = false;
    bool hasSpec = true;  ///< false: no spec that this version reads; spec has seed and name alone

    bool hasBegun() const { return !id.empty(); }
};

struct FairnessCheck {
    enum class State { Ok, Warning, NotKnown };
    std::string about;  ///< "size", "budget", …
    State state = State::NotKnown;
    std::string sentence;
};

/// "ok", "warning", "not known".
std::string nameOf(FairnessCheck::State state);

/// The settings that the trials of a study choose for each row: "train.lr"; none of a study without tuning.
std::vector<std::string> tunedPaths(const Study& study);

/// Size, FLOPs, budget, settings, tuning, the question itself, program and torch, devices, threads, interventions, data, test
/// set, repetitions, seeds that are not asked for and runs that are left out, in this order. `runs` as in StudyReport.
std::vector<FairnessCheck> fairnessChecks(const Study& study, const StudyVerdict& verdict,
                                          const std::vector<ReportedRun>& runs);

}  // namespace heddle::app
