// SPDX-License-Identifier: GPL-3.0-or-later
// The curves of the runs to compare, read and prepared on the reader thread.
#pragma once

#include "engine/analysis/run_group.h"
#include "storage/run_query.h"
#include "ui/data/run_ref.h"
#include "ui/plot/curve.h"

#include <QList>

#include <set>
#include <string>
#include <vector>

namespace heddle::ui {

/// What is drawn over the steps: a metric of an evaluated split, or a series recorded in training.
struct CurveMetric {
    enum class Source { Evaluations, Series };
    Source source = Source::Evaluations;
    std::string name;       ///< "valid.loss", or the series' name
    std::string path = {};  ///< layer or stack of a series; empty for the whole model

    QString id() const;  ///< "valid.loss", "series:loss", "series:grad_norm/encoder.layers.0"
    static CurveMetric fromId(const QString& id);
    QString title() const;
    int decimals() const;
    bool operator==(const CurveMetric&) const = default;
};

/// A run to draw. Runs of one group share its order.
struct CurveRequest {
    RunRef run;
    std::string group;
    QString label, groupLabel;
    int order = 1;
    GroupMember member = {};  ///< decides whether it counts in the group's mean
    bool operator==(const CurveRequest&) const = default;
};

struct CurveSet {
    QList<Curve> curves;
    int means = 0;             ///< curves that are a mean of several seeds
    std::int64_t missing = 0;  ///< runs without values of the metric
};

/// What is read of one run.
struct RunValues {
    std::vector<Row> rows;          ///< of the requested metric; a series has at most 2,000 means of buckets
    std::set<QString> units = {};   ///< of the rows: "nats per token"
    std::set<std::string> metrics;  ///< CurveMetric::id() of each that has more than one point
};
/// On the reader thread.
RunValues readValues(storage::RunQuery& query, const CurveMetric& metric, const std::string& run);

/// Draws single seeds thin below the mean and range of their group if two or more of its seeds have values at the same steps.
/// Which runs count is decided by countedRuns() among those that have values. `values`: one for each request.
CurveSet curvesOf(const std::vector<CurveRequest>& requests, const std::vector<RunValues>& values);

/// Returns the metrics that at least one run has; common metrics come first.
std::vector<CurveMetric> metricsOf(const std::vector<RunValues>& values);

}  // namespace heddle::ui
