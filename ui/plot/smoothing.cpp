// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/smoothing.h"

#include "ui/threads/ask.h"

#include <cmath>
#include <optional>
#include <utility>

namespace heddle::ui {
namespace {

/// Up to this many rows, smoothing on this thread (0.1 ms) is faster than on another.
constexpr std::int64_t kAtOnce = 4096;

/// Smoothing that can be continued.
class Progress {
public:
    Progress(double n, std::int64_t bucket) : n_(n), bucket_(bucket), filter_(n) {}

    double n() const { return n_; }
    std::int64_t bucket() const { return bucket_; }
    std::int64_t rowsDone() const { return done_; }
    const Series& result() const { return result_; }

    /// Smooths the new rows of `raw`, except those of a last bucket that is not full.
    void advance(const Series& raw) {
        if (done_ == 0 && bucket_ > 1 && raw.size() >= bucket_) {  // the beginning is steep: no buckets
            double y = 0;
            for (; done_ < bucket_; ++done_) y = filter_.next(raw.at(done_).step, raw.at(done_).value);
            result_.append(raw.at(done_ - 1).step, y);
        }
        for (; done_ + bucket_ <= raw.size(); done_ += bucket_) {
            const Step step = raw.at(done_ + bucket_ - 1).step;
            if (bucket_ == 1) {
                result_.append(step, filter_.next(step, raw.at(done_).value));
                continue;
            }
            const Bucket rows = raw.bucket(done_, done_ + bucket_);
            result_.append(step, filter_.next(step, rows.empty() ? std::numeric_limits<double>::quiet_NaN() : rows.mean()));
        }
    }

    /// The result with the rows of the unfinished bucket added one by one, so that the end of a live curve has no delay.
    Series withEnd(const Series& raw) const {
        Series whole = result_;
        EmaFilter filter = filter_;
        for (std::int64_t i = done_; i < raw.size(); ++i) {
            const Row row = raw.at(i);
            whole.append(row.step, filter.next(row.step, row.value));
        }
        return whole;
    }

private:
    double n_;
    std::int64_t bucket_, done_ = 0;
    EmaFilter filter_;
    Series result_;
};

double spacingOf(const Series& raw) {
    if (raw.size() < 2) return 1;
    const StepRange range = raw.range();
    return double(range.last - range.first) / double(raw.size() - 1);
}

}  // namespace

double EmaFilter::next(Step step, double value) {
    if (!std::isfinite(value)) return y_;
    // -expm1: 1 − e^(−Δ/n) without losing the digits of a small Δ/n.
    const double a = -std::expm1(-double(step - last_) / n_);
    last_ = step;
    if (std::isnan(y_)) return y_ = value;
    if (weight_ == 0) weight_ = a;
    weight_ += a * (1 - weight_);
    return y_ += a / weight_ * (value - y_);
}

std::int64_t smoothingBucket(double n, double spacing) {
    std::int64_t rows = 1;
    while (double(rows * Series::kFan) * spacing <= n / 16 && rows < Series::kFan * Series::kFan) rows *= Series::kFan;
    return rows;
}

Series smooth(const Series& raw, double n) {
    Progress progress(n, smoothingBucket(n, spacingOf(raw)));
    progress.advance(raw);
    return progress.withEnd(raw);
}

struct Smoother::Job {
    std::shared_ptr<const Series> raw;
    double n = 0;
};

struct Smoother::Curve {
    std::optional<Progress> done;
    bool isBusy = false;      ///< a job runs on another thread
    std::optional<Job> next;  ///< waits for that job

    /// The state that a job continues: the last one if it has the same filter, else none.
    Progress before(const Job& job) const {
        const std::int64_t bucket = smoothingBucket(job.n, spacingOf(*job.raw));
        const bool goesOn = done && done->n() == job.n && done->bucket() == bucket && done->rowsDone() <= job.raw->size();
        return goesOn ? *done : Progress(job.n, bucket);
    }
};

Smoother::Smoother(QObject* parent) : QObject(parent) {}
Smoother::~Smoother() = default;

void Smoother::request(int id, std::shared_ptr<const Series> raw, double n) {
    std::shared_ptr<Curve>& curve = curves_[id];
    if (!curve) curve = std::make_shared<Curve>();
    Job job{std::move(raw), n};
    if (curve->isBusy) {
        curve->next = std::move(job);
        return;
    }
    Progress progress = curve->before(job);
    if (job.raw->size() - progress.rowsDone() > kAtOnce) return start(id, curve, job);
    progress.advance(*job.raw);
    const auto smoothed = ui::shared(progress.withEnd(*job.raw));
    curve->done = std::move(progress);
    Q_EMIT ready(id, smoothed, n);
}

void Smoother::remove(int id) { curves_.erase(id); }

void Smoother::start(int id, const std::shared_ptr<Curve>& curve, const Job& job) {
    struct Answer {
        Progress progress;
        std::shared_ptr<const Series> smoothed;
    };
    curve->isBusy = true;
    const std::weak_ptr<Curve> asked = curve;
    ask(
        this, Pool{},
        [progress = curve->before(job), raw = job.raw]() mutable {
            progress.advance(*raw);
            auto smoothed = ui::shared(progress.withEnd(*raw));
            return Answer{std::move(progress), std::move(smoothed)};
        },
        [this, asked, id, n = job.n](Result<Answer> answer) {
            const auto found = asked.lock();
            if (!found) return;  // removed meanwhile
            found->isBusy = false;
            const auto next = std::exchange(found->next, std::nullopt);
            if (!answer) return;  // out of memory: tried again when rows are added
            found->done = std::move(answer->progress);
            Q_EMIT ready(id, answer->smoothed, n);
            if (next) request(id, next->raw, next->n);
        });
}

}  // namespace heddle::ui
