// SPDX-License-Identifier: GPL-3.0-or-later
// The curves of the runs to compare, read and prepared on the reader thread.
#pragma once

#include "ui/plot/curve.h"

#include <QStringList>

#include <string>
#include <vector>

namespace heddle::storage {
class RunQuery;
}

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
    std::string run, variant;
    QString label, variantLabel;
    int order = 1;
    bool operator==(const CurveRequest&) const = default;
};

struct CurveSet {
    QList<Curve> curves;
    int means = 0;             ///< curves that are a mean of several seeds
    std::int64_t missing = 0;  ///< runs that have no such values
};

/// Single seeds thin below the mean and range of their variant, where two or more of its runs were evaluated at the same steps.
/// Series are drawn from at most 2,000 buckets' means.
CurveSet readCurves(storage::RunQuery& query, const CurveMetric& metric, const std::vector<CurveRequest>& requests);

/// The metrics that any of `runs` has, most asked for first.
std::vector<CurveMetric> metricsOf(storage::RunQuery& query, const std::vector<std::string>& runs);

}  // namespace heddle::ui
