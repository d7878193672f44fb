// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/run_spec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// Where the runs of a row take their initial weights and tokenizers from: each from a run of the same seed.
struct RowStart {
    std::string row;                  ///< name of another row of the plan or, with `database`, of the runs there
    std::string checkpoint = "best";  ///< of that run: "best", "last" or a step
    std::string database = {};        ///< another run database; empty: the plan trains those runs, too
    bool operator==(const RowStart&) const = default;
};

/// A row of a plan: one experiment, trained with several seeds.
struct PlanRow {
    std::string name;                   ///< of the runs
    Json spec;                          ///< a run-spec document; its name and seed are those of the row
    std::vector<std::string> set = {};  ///< assignments on top of it, as after --set
    std::vector<std::uint64_t> seeds = {1};
    std::optional<RowStart> from = {};  ///< nothing: as the spec says
    bool operator==(const PlanRow&) const = default;
};

/// Lists the runs to train, in their order. The studio writes plans; `heddle sweep` reads them.
struct Plan {
    std::vector<PlanRow> rows;
    bool operator==(const Plan&) const = default;

    /// {"schema":"heddle.plan/1","rows":[{"name","spec","set":[…],"seeds":[…],"from","from_checkpoint","from_database"}]}
    Json toJson() const;
    /// Throws Error(InvalidInput) naming `where` and what is missing or of the wrong type.
    static Plan parse(const Json& document, const std::string& where);
};

/// Throws Error(InvalidInput) naming `where` for a row that starts from an unknown row, from one of two with the same name,
/// from one that lacks its seeds, or in a circle from itself.
void requireStarts(const std::vector<PlanRow>& rows, const std::string& where);

/// The spec of a row with its assignments, name and first seed, not validated. Throws Error(InvalidInput) for an assignment
/// that cannot be made.
Json documentOf(const PlanRow& row);

/// The runs of a row, one for each seed, without what PlanRow::from adds. `base`: see RunSpec::parse(), which throws for an
/// invalid spec; the row is named. Throws Error(InvalidInput), too, if the spec of a row with `from` names a checkpoint itself.
std::vector<RunSpec> runsOf(const PlanRow& row, const Catalogue& catalogue, const std::string& base = "");

/// What a run of so many parameters keeps on disk at most: train.keep_last checkpoints, the best and the last one, each of
/// weights and two moments in float32, and record.max_mib of attention maps. Curves and texts, a few MiB, are not in it.
std::uint64_t diskBytes(const RunSpec& run, std::int64_t parameters);

}  // namespace heddle
