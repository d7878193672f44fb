// SPDX-License-Identifier: GPL-3.0-or-later
// The smoothed curve: a causal exponential mean over steps, of the full series, so that neither zoom nor length nor refresh can
// change a value.
//
//     y₀ = x₀,   yₖ = yₖ₋₁ + a/wₖ (xₖ − yₖ₋₁),   wₖ = wₖ₋₁ + a (1 − wₖ₋₁),   a = 1 − e^(−Δ/n),   Δ = steps since the row before
//
// w₀ is the a of the second row. The sum w of the weights so far takes the bias out: y is the mean of all rows till now, each
// weighed by e^(−age/n) (Kingma and Ba 2015, "Adam", section 3), where a plain EMA would give the first row the weight of all
// rows before it. Rows that are not finite are skipped: y stands still.
#pragma once

#include "ui/plot/series.h"

#include <QObject>

#include <map>
#include <memory>

namespace heddle::ui {

inline constexpr int kMostSmoothing = 5000;  ///< steps that a control offers

/// The formula, one row at a time.
class EmaFilter {
public:
    /// `n` in steps, above 0.
    explicit EmaFilter(double n) : n_(n) {}
    /// The smoothed value at `step`; NaN before the first finite value.
    double next(Step step, double value);

private:
    double n_;
    Step last_ = 0;
    double weight_ = 0;  ///< w; 0: there was no second row
    double y_ = std::numeric_limits<double>::quiet_NaN();
};

/// Rows that one smoothed row may stand for: the largest power of 16 that spans at most n/16 steps, `spacing` steps a row.
/// 1 is exact. Coarser, the value at a bucket's last step differs from the formula by at most 1/128 of the widest bucket's
/// range.
std::int64_t smoothingBucket(double n, double spacing);

/// The smoothed series of `raw`. Pure; any thread. With buckets of b rows (above) it has one row per b, at the bucket's last
/// step.
Series smooth(const Series& raw, double n);

/// Smooths off the GUI thread and remembers where it stopped, so that a growing series costs only its new rows.
class Smoother : public QObject {
    Q_OBJECT

public:
    explicit Smoother(QObject* parent = nullptr);
    ~Smoother() override;

    /// Asks for curve `id`; ready() follows, at once where only a few rows are new. A newer request for the same id replaces
    /// one that waits. `raw` may have grown since the last request but must otherwise be the same series; give a new id to
    /// another.
    void request(int id, std::shared_ptr<const Series> raw, double n);
    /// Forgets what is kept of `id`.
    void forget(int id);

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
