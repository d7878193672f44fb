// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/run_spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// A row of a plan: one experiment, trained with several seeds.
struct PlanRow {
    std::string name;                   ///< of the runs
    Json spec;                          ///< a run-spec document; its name and seed are those of the row
    std::vector<std::string> set = {};  ///< assignments on top of it, as after --set
    std::vector<std::uint64_t> seeds = {1};
    bool operator==(const PlanRow&) const = default;
};

/// Lists the runs to train, in their order. The studio writes plans; `heddle sweep` reads them.
struct Plan {
    std::vector<PlanRow> rows;
    bool operator==(const Plan&) const = default;

    /// {"schema":"heddle.plan/1","rows":[{"name","spec","set":[…],"seeds":[…]}]}
    Json toJson() const;
    /// Throws Error(InvalidInput) naming `where` and what is missing or of the wrong type.
    static Plan parse(const Json& document, const std::string& where);
};

/// The spec of a row with its assignments, name and first seed, not validated. Throws Error(InvalidInput) for an assignment
/// that cannot be made.
Json documentOf(const PlanRow& row);

/// The runs of a row, one for each seed. `base`: see RunSpec::parse(), which throws for an invalid spec; the row is named.
std::vector<RunSpec> runsOf(const PlanRow& row, const Catalogue& catalogue, const std::string& base = "");

/// What a run of so many parameters keeps on disk at most: train.keep_last checkpoints, the best and the last one, each of
/// weights and two moments in float32, and record.max_mib of attention maps. Curves and texts, a few MiB, are not in it.
std::uint64_t diskBytes(const RunSpec& run, std::int64_t parameters);

}  // namespace heddle
