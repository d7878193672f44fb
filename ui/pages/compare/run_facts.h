// SPDX-License-Identifier: GPL-3.0-or-later
// What the Compare page knows of a run: its row, its settings as flat paths, and a summary of each metric. Plain data, made on
// the reader thread, shared and never changed afterwards.
#pragma once

#include "engine/analysis/metric_summary.h"
#include "engine/base/json.h"
#include "storage/records.h"

#include <QString>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::storage {
class RunQuery;
}

namespace heddle::ui {

/// Path of every leaf of a resolved document: "train.lr", "variant.encoder.layers.0.self.residual.kind".
using Leaves = std::map<std::string, Json>;
Leaves leavesOf(const Json& document);

struct RunFacts {
    storage::RunRecord record;
    std::shared_ptr<const Leaves> variant, settings;  ///< of the variant ("variant.…"), and of the rest
    std::map<std::string, MetricSummary> metrics;     ///< by "valid.loss"
    QString haystack;                                 ///< lower-case text that free words are looked for in
    QString problem;                                  ///< why the specification cannot be read, or empty

    /// The value of a path as leavesOf() writes it; null if the run has none.
    const Json* setting(const std::string& path) const;
};
using RunPointer = std::shared_ptr<const RunFacts>;

/// Everything the page shows, in the order in which runs were made.
struct RunTable {
    std::vector<RunPointer> runs;
    std::vector<std::string> paths;    ///< every setting of any run
    std::vector<std::string> varying;  ///< those in which runs differ
    std::vector<std::string> metrics;  ///< "valid.loss", …
    std::int64_t total = 0;            ///< runs of the database; more than runs.size() while they are being read
};

/// Reads a database into RunTables, incrementally. Used by one thread at a time (the reader thread).
class FactsReader {
public:
    /// Reads what changed since the last call, at most `limit` runs.
    std::shared_ptr<const RunTable> read(storage::RunQuery& query, std::size_t limit);

private:
    RunPointer factsOf(storage::RunQuery& query, const storage::RunRecord& record);
    void readSpec(RunFacts& facts);
    std::shared_ptr<const RunTable> tableNow();

    struct Spec {
        std::shared_ptr<const Leaves> variant, settings;
        QString problem;
    };
    std::map<std::string, storage::RunRecord> waiting_;  ///< by id: known to have changed, not read yet
    std::map<std::string, RunPointer> runs_;
    std::map<std::string, Spec> specs_;  ///< by spec text without seed and name
    std::int64_t revision_ = 0;
    std::vector<std::string> paths_, varying_;
    std::size_t pathsOf_ = 0;  ///< number of specs that paths_ was made of
};

}  // namespace heddle::ui
