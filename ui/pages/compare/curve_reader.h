// SPDX-License-Identifier: GPL-3.0-or-later
// The curves of the runs to compare, read and prepared on the reader thread.
#pragma once

#include "storage/run_query.h"
#include "ui/data/run_ref.h"
#include "ui/plot/curve.h"

#include <set>
#include <string>
#include <vector>

namespace heddle::ui {

/// What is drawn over the steps: the evaluations of a split, or a series that was recorded in training.
struct CurveMetric {
    enum class Source { Evaluations, Series };
    Source source = Source::Evaluations;
    std::string name;       ///< "valid.loss", or the series' name
    std::string path = {};  ///< of a series: the layer or stack that it is of; empty for the whole model

    QString id() const;  ///< "valid.loss", "series:loss", "series:grad_norm/encoder.layers.0"
    static CurveMetric fromId(const QString& id);
    QString title() const;
    int decimals() const;
    bool operator==(const CurveMetric&) const = default;
};

/// A run to draw. Runs of one variant share its order.
struct CurveRequest {
    RunRef run;
    std::string variant;
    QString label, variantLabel;
    int order = 1;
    bool operator==(const CurveRequest&) const = default;
};

struct CurveSet {
    QList<Curve> curves;
    int means = 0;             ///< curves that are a mean of several seeds
    std::int64_t missing = 0;  ///< runs that have no such values
};

/// What is read of one run.
struct RunValues {
    std::vector<Row> rows;          ///< of the metric that was asked for; of a series at most 2,000 buckets' means
    std::set<std::string> metrics;  ///< CurveMetric::id() of each that has more than one point
};
/// On the reader thread.
RunValues readValues(storage::RunQuery& query, const CurveMetric& metric, const std::string& run);

/// Single seeds thin below the mean and range of their variant, where two or more of its runs were evaluated at the same steps.
/// A run that is drawn from two databases counts once in the mean. `values`: one a request.
CurveSet curvesOf(const std::vector<CurveRequest>& requests, const std::vector<RunValues>& values);

/// Returns the metrics that at least one run has; common metrics come first.
std::vector<CurveMetric> metricsOf(const std::vector<RunValues>& values);

}  // namespace heddle::ui
