// SPDX-License-Identifier: GPL-3.0-or-later
// The smoothed curve: a causal exponential mean over steps of the full series. A value does not depend on zoom, length or
// refresh.
//
//     y₀ = x₀,   yₖ = yₖ₋₁ + a/wₖ (xₖ − yₖ₋₁),   wₖ = wₖ₋₁ + a (1 − wₖ₋₁),   a = 1 − e^(−Δ/n),   Δ = steps since the row before
//
// w₀ is the a of the second row. Division by the sum w of the weights so far removes the bias: y is the mean of all rows so
// far, each weighted by e^(−age/n) (Kingma and Ba 2015, "Adam", section 3), while a plain EMA would give the first row the
// weight of all rows before it. Rows that are not finite are skipped and do not change y.
#pragma once

#include "ui/plot/series.h"

#include <QObject>

#include <map>
#include <memory>

namespace heddle::ui {

inline constexpr int kMostSmoothing = 5000;  ///< steps, the largest choice

/// Applies the formula row by row.
class EmaFilter {
public:
    /// `n` in steps, above 0.
    explicit EmaFilter(double n) : n_(n) {}
    /// The smoothed value at `step`; NaN before the first finite value.
    double next(Step step, double value);

private:
    double n_;
    Step last_ = 0;
    double weight_ = 0;  ///< w; 0 before the second row
    double y_ = std::numeric_limits<double>::quiet_NaN();
};

/// The number of rows for one smoothed row: the largest power of 16 that spans at most n/16 steps, with `spacing` steps a row.
/// 1 is exact. Coarser, the value at a bucket's last step differs from the formula by at most 1/128 of the widest bucket's
/// range.
std::int64_t smoothingBucket(double n, double spacing);

/// The smoothed series of `raw`. Pure; any thread. With buckets of b rows (above) it has one row per b, at the bucket's last
/// step.
Series smooth(const Series& raw, double n);

/// Smooths on another thread and keeps its state, so that a growing series costs only its new rows.
class Smoother : public QObject {
    Q_OBJECT

public:
    explicit Smoother(QObject* parent = nullptr);
    ~Smoother() override;

    /// Requests curve `id`; ready() follows, at once if only a few rows are new. A newer request for the same id replaces one
    /// that has not started. `raw` may have grown since the last request but must otherwise be the same series; use a new id
    /// for another one.
    void request(int id, std::shared_ptr<const Series> raw, double n);
    /// Removes what is kept of `id`.
    void remove(int id);

Q_SIGNALS:
    /// On the thread of this object.
    void ready(int id, std::shared_ptr<const heddle::ui::Series> smoothed, double n);

private:
    struct Job;
    struct Curve;
    void start(int id, const std::shared_ptr<Curve>& curve, const Job& job);

    std::map<int, std::shared_ptr<Curve>> curves_;
};

}  // namespace heddle::ui
