// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/analysis/workload.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace heddle {

/// How to time the steps of a workload. Zero: the device's default, 3 warm-up steps and 3 repeats of 10 steps on a CPU, 30 and
/// 5 of 100 on a GPU. With mixed lengths, warm-up and repeats are each a pass over all batches.
struct TrainBenchRequest {
    Workload workload;
    std::string device = "auto";
    Precision precision = Precision::Float32;
    bool deterministic = true;  ///< as train.deterministic
    std::int64_t threads = 0, warmup = 0, steps = 0, repeats = 0;
    std::uint64_t seed = 1;
    std::function<void(const std::string&)> progress = {};  ///< progress messages; may be empty
};

/// The result of a benchmark. A step is everything that the trainer does with an available batch: copy to the device, forward,
/// loss, backward, clipping, update, and telemetry at its default density.
struct TrainBenchRow {
    std::string workload, device, precision, torch;
    std::int64_t parameters = 0, threads = 0, steps = 0, repeats = 0, shapes = 0;
    bool deterministic = true;
    double stepMs = 0, stepMsLeast = 0, stepMsMost = 0;  ///< median, minimum and maximum over the repeats' means
    double singleStepMs = 0;                             ///< median over all steps; on a GPU over some that are waited for
    double tokensPerSecond = 0, tokensPerStep = 0;       ///< without padding; target tokens if there are two sides
    double fill = 1;                                     ///< source tokens ÷ padded source tokens
    double gflopPerStep = 0;                             ///< see stepFlops
    double gemmGflops = 0;                               ///< fastest matrix product found in this process
    std::string gemm;                                    ///< its description
    double peakMib = 0;                      ///< resident memory of the process; on a GPU memory reserved by the allocator
    double hostMs = 0;                       ///< median time until a step's calls return
    std::optional<double> startSeconds;      ///< from process start to the first step; nothing without /proc
    std::optional<double> firstStepSeconds;  ///< the same to the end of that step
    std::optional<double> captureMs;         ///< median of the steps captured as a graph; only on a GPU
    std::optional<double> replayedShare;     ///< share of timed steps that replayed a graph; only on a GPU
    std::int64_t captures = 0, evictions = 0;
    double firstLoss = 0, lastLoss = 0;

    double shareOfCeiling() const { return gemmGflops > 0 ? gflopPerStep / (stepMs / 1e3) / gemmGflops : 0; }
};

}  // namespace heddle
