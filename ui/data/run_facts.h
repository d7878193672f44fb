// SPDX-License-Identifier: GPL-3.0-or-later
// The data of a run for the run tables: its row, its settings as flat paths, and a summary of each metric. Made on the reader
// thread, shared and never changed afterwards.
#pragma once

#include "engine/analysis/comparable.h"
#include "engine/analysis/metric_summary.h"
#include "engine/analysis/study.h"
#include "engine/base/json.h"
#include "engine/spec/diff.h"
#include "engine/spec/run_spec.h"
#include "ui/data/run_database.h"

#include <QString>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace heddle::ui {

/// Path of every leaf of a resolved document: "train.lr", "variant.encoder.layers.0.self.residual.kind".
using Leaves = std::map<std::string, Json>;

/// A specification, shared by its runs. The leaves are null if it cannot be read.
struct SpecFacts {
    std::shared_ptr<const RunSpec> spec;
    std::shared_ptr<const Leaves> variant, settings;  ///< of the variant ("variant.…"), and of the rest
    QString problem;                                  ///< why the specification cannot be read, or empty
    bool mayPair = true;  ///< false: another program's run, and nobody declared that equal seeds are pairs
};

struct RunFacts : SpecFacts {
    Run record;
    FileContents contents;                                      ///< of the files that it was trained with
    std::map<std::string, MetricSummary> metrics;               ///< by "valid.loss"
    std::map<std::string, Measured> measuredBy;                 ///< by the same keys
    std::map<std::string, std::vector<Evaluated>> evaluations;  ///< of the same metrics, ascending in step
    QString searchText;                                         ///< lower-case text that free words are looked for in

    /// The value of a path; null if the run has none.
    const Json* setting(const std::string& path) const;
    /// All settings as one flat document.
    Json settingsDocument() const;
    /// How a metric's value was measured, and on which data; null if there is no value.
    const Measured* measured(const std::string& metric) const;
    /// Fills measuredBy from metrics and contents.
    void setMeasured();
};
using RunPointer = std::shared_ptr<const RunFacts>;

/// The runs of a table, in the order in which they were created.
struct RunTable {
    std::vector<RunPointer> runs, deleted;  ///< deleted: the runs in the trash; they do not count in metrics and total
    std::vector<std::string> paths;         ///< every setting of any run
    std::vector<std::string> varying;       ///< those that differ between runs
    std::vector<std::string> metrics;       ///< "valid.loss", …
    std::int64_t total = 0;                 ///< runs in the databases; more than runs.size() while they are being read
};

/// The runs of the newest group that has trained, and those to compare it with: of the pinned group, else of the one before.
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
        bool isWhole = true;  ///< the database was read to its end
    };
    /// Reads at most `limit` runs that have changed since the last call. The table is the same object as before without
    /// changes, and while a database is read as long as fewer runs were read than it has.
    Answer read(storage::RunQuery& query, const Source& source, std::size_t limit);

private:
    void readWaiting(storage::RunQuery& query, int database, std::size_t limit);
    RunPointer factsOf(storage::RunQuery& query, const Run& record);
    const SpecFacts& specOf(const storage::RunRecord& run);
    void joinPlanned();
    std::shared_ptr<const RunTable> tableNow();
    bool isWaiting(int database) const;

    std::shared_ptr<const RunTable> table_;
    std::map<RunRef, Run> waiting_;  ///< have changed and are not read yet
    std::map<RunRef, RunPointer> runs_;
    std::size_t unlisted_ = 0;                          ///< runs that were read or deleted since table_ was made
    std::unordered_map<std::string, SpecFacts> specs_;  ///< by spec text without seed and name
    std::map<int, std::int64_t> revisions_;             ///< by database: up to where it is read
    std::vector<std::string> paths_, varying_;
    std::size_t pathsOf_ = 0;  ///< number of specs that paths_ was made of
};

}  // namespace heddle::ui
