// SPDX-License-Identifier: GPL-3.0-or-later
// What the run tables know of a run: its row, its settings as flat paths, and a summary of each metric. Plain data, made on
// the reader thread, shared and never changed afterwards.
#pragma once

#include "engine/analysis/comparable.h"
#include "engine/analysis/metric_summary.h"
#include "engine/base/json.h"
#include "engine/spec/diff.h"
#include "engine/spec/run_spec.h"
#include "ui/data/run_database.h"

#include <QString>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::ui {

/// Path of every leaf of a resolved document: "train.lr", "variant.encoder.layers.0.self.residual.kind".
using Leaves = std::map<std::string, Json>;

/// A specification, shared by its runs. The leaves are null if it cannot be read.
struct SpecFacts {
    std::shared_ptr<const RunSpec> spec;
    std::shared_ptr<const Leaves> variant, settings;  ///< of the variant ("variant.…"), and of the rest
    QString problem;                                  ///< why the specification cannot be read, or empty
};

struct RunFacts : SpecFacts {
    Run record;
    FileContents contents;                         ///< of the files that it was trained with
    std::map<std::string, MetricSummary> metrics;  ///< by "valid.loss"
    QString searchText;                            ///< lower-case text that free words are looked for in

    /// The value of a path; null if the run has none.
    const Json* setting(const std::string& path) const;
    /// All settings as one flat document.
    Json settingsDocument() const;
    /// What a metric's value was measured on; nothing if there is none.
    std::optional<Measured> measured(const std::string& metric) const;
};
using RunPointer = std::shared_ptr<const RunFacts>;

/// Everything that a table shows, in the order in which runs were made.
struct RunTable {
    std::vector<RunPointer> runs, deleted;  ///< deleted: the runs in the trash; they do not count in metrics and total
    std::vector<std::string> paths;         ///< every setting of any run
    std::vector<std::string> varying;       ///< those in which runs differ
    std::vector<std::string> metrics;       ///< "valid.loss", …
    std::int64_t total = 0;                 ///< runs in the databases; more than runs.size() while they are being read
};

/// The runs of the group of the newest run that has trained, and those of the group to compare it with: the pinned one, else
/// the one before it.
std::vector<RunRef> newestAndBaseline(const RunTable& table, const std::string& pinned);

/// Reads databases into RunTables, incrementally. Used by one thread at a time, the reader thread of a database.
class FactsReader {
public:
    /// The database that is read.
    struct Source {
        int database = 0;
        QString origin;  ///< Run::origin of its runs
    };
    struct Answer {
        std::shared_ptr<const RunTable> table;
        bool isWhole = true;  ///< all of that database is read
    };
    /// Reads what changed in a database since the last call about it, at most `limit` runs. The table is the same object as
    /// before where nothing has changed.
    Answer read(storage::RunQuery& query, const Source& source, std::size_t limit);

private:
    std::size_t readWaiting(storage::RunQuery& query, int database, std::size_t limit);
    RunPointer factsOf(storage::RunQuery& query, const Run& record);
    const SpecFacts& specOf(const storage::RunRecord& run);
    void joinPlanned();
    std::shared_ptr<const RunTable> tableNow();
    bool isWaiting(int database) const;

    std::shared_ptr<const RunTable> table_;
    std::map<RunRef, Run> waiting_;  ///< known to have changed, not read yet
    std::map<RunRef, RunPointer> runs_;
    std::map<std::string, SpecFacts> specs_;  ///< by spec text without seed and name
    std::map<int, std::int64_t> revisions_;   ///< by database: read up to here
    std::vector<std::string> paths_, varying_;
    std::size_t pathsOf_ = 0;  ///< number of specs that paths_ was made of
};

}  // namespace heddle::ui
