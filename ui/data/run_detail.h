// SPDX-License-Identifier: GPL-3.0-or-later
// The stored data of one run except its series, read at once on the reader thread and never changed afterwards.
#pragma once

#include "engine/metrics/counted.h"
#include "engine/run/intervention_change.h"
#include "engine/run/measurement.h"
#include "storage/run_query.h"
#include "ui/data/run_database.h"
#include "ui/plot/curve.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace heddle::ui {

/// The source of a snapshot: exposure id and module path.
struct Site {
    std::string name, path;
    auto operator<=>(const Site&) const = default;
};

struct RunDetail {
    Run record;
    std::vector<storage::AttemptRecord> attempts;
    std::vector<storage::EvaluationRecord> evaluations;
    std::vector<storage::CheckpointRecord> checkpoints;
    std::vector<storage::EventRecord> events;
    std::vector<storage::RunQuery::SeriesKey> series;
    std::map<Site, std::map<std::int64_t, std::vector<Step>>> maps;  ///< steps of every probe, ascending
    std::map<Site, std::vector<Step>> histograms;                    ///< of exposures only, not of weights
    std::vector<std::shared_ptr<const Measurement>> measurements;    ///< of its models; those that cannot be read are left out
    std::vector<int> snapshotSteps;  ///< every step that has a map, a histogram or an evaluation, ascending
    std::int64_t stepsPerEpoch = 0, vocabSource = 0, vocabTarget = 0, classes = 0;  ///< 0: not known

    /// Rows of an evaluation metric times `factor`, ascending.
    std::shared_ptr<const Series> evaluated(const std::string& split, const std::string& metric, double factor) const;
    /// The value of the metric at the last evaluation up to `step`. Nothing if there is none, if the next one was due by
    /// `step`, or if the run ended before `step`.
    std::optional<double> evaluatedAt(const std::string& split, const std::string& metric, Step step) const;
    /// What the values of "loss" or "accuracy" count, from the signature of an evaluation; nothing if there is none yet.
    std::optional<Counted> counted(const std::string& metric) const;
    /// Whether the run is over and ended before `step`.
    bool endedBefore(Step step) const;
    /// The epoch of `step`; nothing if the length of an epoch is not known.
    std::optional<std::int64_t> epochOf(Step step) const;
    std::optional<Step> bestStep() const;
    /// The interventions in force at the newest step and since when; nothing if there were none.
    std::optional<InterventionsAt> interventions() const;
    /// Resumptions, interventions, failures and gaps as events of curves.
    QList<CurveEvent> flags() const;
    /// The last event of a kind, or null.
    const storage::EventRecord* lastEvent(const std::string& kind) const;

    storage::RunQuery::IndexPlace mapsRead, histogramsRead;  ///< up to where the two indexes are read
    /// By key: the commit that a measurement was read at; null: it cannot be read.
    std::map<std::string, std::pair<std::int64_t, std::shared_ptr<const Measurement>>> measurementsRead;
};

/// The last of ascending `steps` at or before `step`; the first if all are later; nothing if there are none.
std::optional<Step> stepAtOrBefore(const std::vector<Step>& steps, Step step);
/// Null if there is no such run. `before`: an earlier detail of the run, from which on the indexes of maps and histograms,
/// which grow with the run, are read. Throws StorageError.
std::shared_ptr<const RunDetail> readDetail(storage::RunQuery& query, const RunRef& run,
                                            const std::shared_ptr<const RunDetail>& before = nullptr);

}  // namespace heddle::ui
