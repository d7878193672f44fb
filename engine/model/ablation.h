// SPDX-License-Identifier: Apache-2.0
// What mean and resample ablation put in the place of an output. Shapes: B rows of a batch, S positions, H heads, E features of
// a head, D features of a sublayer's output or of a gate.
#pragma once

#include "engine/run/interventions.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

namespace heddle {

/// The tap at which a mean or resample ablation replaces its output: [B,H,S,E] with a head, else [B,S,D].
std::string outputTap(const std::string& path, std::int64_t head, const ResolvedVariant& variant);

/// Means by tap, float64: [H,E] of heads, else [D].
using OutputMeans = std::map<std::string, at::Tensor>;

/// Sums outputs over all positions that are no padding, for the means that a list of interventions needs. One thread at a time.
class OutputSums {
public:
    /// Of every MeanOutput in the list; of heads, all heads of the attention.
    OutputSums(const std::vector<Intervention>& interventions, const ResolvedVariant& variant);
    bool empty() const { return sums_.empty(); }
    /// Whether a mean is of this tap.
    bool sums(const std::string& tap) const { return sums_.contains(tap); }

    /// Does nothing for a tap that no mean is of. `padding_BS`: bool, true at padding; undefined: there is none. Layers that
    /// are passed several times count each time.
    void add(const std::string& tap, const at::Tensor& value, const at::Tensor& padding_BS);
    /// Throws Error(Usage) for an output that was not there in any pass.
    OutputMeans means() const;
    /// Returns the mean length ‖x‖₂ of each head's output, by tap: [H], float64. Leaves out taps that were not there in any
    /// pass.
    OutputMeans lengths() const;

private:
    struct Sum {
        bool hasHeads = false;
        at::Tensor sum, lengths, positions;  ///< undefined before the first value; lengths: of heads
    };
    std::map<std::string, Sum> sums_;
};

/// For each of so many rows another one, whose output it gets: a permutation without fixed points (Sattolo 1986) from
/// kResampleSeed, the same for every output. Row 0 alone keeps its own.
std::vector<std::int64_t> otherRows(std::int64_t rows);

/// x_BSD with the values of the other rows, position by position; position s reads s mod the length of the other row, which
/// ends where its padding begins. `padding_BS` as above.
at::Tensor resampled(const at::Tensor& x_BSD, const at::Tensor& padding_BS);

}  // namespace heddle
