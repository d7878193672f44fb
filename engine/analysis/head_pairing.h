// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace heddle {

/// What headPairing() knows of a run.
struct PairedModel {
    std::string id;
    std::string lineage;  ///< id of the run that it is a fork of, or empty
    std::string spec;     ///< as recorded
    std::uint64_t seed = 0;
};

/// Why the heads of two runs correspond one by one (the first three), or why they do not.
enum class HeadPairing { OneRun, CommonBeginning, OneSeed, OtherSeeds, OtherWeights, OtherShapes, UnknownShapes };

/// Heads correspond if both models have the same layers, sublayers, heads and widths, and began with equal weights: with one
/// seed and one start, or as forks of one run. Two steps of one run always correspond.
HeadPairing headPairing(const PairedModel& a, const PairedModel& b);
bool headsCorrespond(HeadPairing pairing);

}  // namespace heddle
