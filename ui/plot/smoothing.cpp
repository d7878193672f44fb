// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/smoothing.h"

#include "ui/threads/background.h"

#include <QMetaObject>
#include <QMutex>

#include <cmath>
#include <utility>

namespace heddle::ui {
namespace {

/// Rows that are smoothed sooner (0.1 ms) than another thread is woken and has answered.
constexpr std::int64_t kAtOnce = 4096;

/// Smoothing that can go on where it stopped.
class Progress {
public:
    Progress(double n, std::int64_t bucket) : n_(n), bucket_(bucket), filter_(n) {}

    double n() const { return n_; }
    std::int64_t bucket() const { return bucket_; }
    std::int64_t rowsDone() const { return done_; }
    const Series& result() const { return result_; }

    /// Takes in the rows of `raw` that are new. A last bucket that is not full waits for its rows.
    void advance(const Series& raw) {
        if (done_ == 0 && bucket_ > 1 && raw.size() >= bucket_) {  // the beginning is steep: exactly
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

    /// The result with the rows of the unfinished bucket added one by one, so that the live end is not late.
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

/// Outlives the Smoother while a task runs: the task finds `owner` gone and says nothing.
struct Smoother::Shared {
    QMutex mutex;
    Smoother* owner = nullptr;
    bool running = false;
    std::map<int, Job> waiting;
    std::map<int, Progress> kept;  // touched by the one running task, or under the mutex when none runs
    std::vector<int> forgotten;

    void clearForgotten() {
        for (const int gone : std::exchange(forgotten, {})) kept.erase(gone);
    }
    /// Where the job can go on; null: it begins anew.
    Progress* before(int id, const Job& job) {
        const auto found = kept.find(id);
        const bool goesOn = found != kept.end() && found->second.n() == job.n &&
                            found->second.bucket() == smoothingBucket(job.n, spacingOf(*job.raw)) &&
                            found->second.rowsDone() <= job.raw->size();
        return goesOn ? &found->second : nullptr;
    }
    std::shared_ptr<const Series> smoothed(int id, const Job& job) {
        Progress* progress = before(id, job);
        if (!progress)
            progress = &kept.insert_or_assign(id, Progress(job.n, smoothingBucket(job.n, spacingOf(*job.raw)))).first->second;
        progress->advance(*job.raw);
        return ui::shared(progress->withEnd(*job.raw));
    }
};

Smoother::Smoother(QObject* parent) : QObject(parent), shared_(std::make_shared<Shared>()) { shared_->owner = this; }

Smoother::~Smoother() {
    const QMutexLocker lock(&shared_->mutex);
    shared_->owner = nullptr;
    shared_->waiting.clear();
}

void Smoother::request(int id, std::shared_ptr<const Series> raw, double n) {
    QMutexLocker lock(&shared_->mutex);
    const Job job{std::move(raw), n};
    if (!shared_->running) {
        shared_->clearForgotten();
        const Progress* before = shared_->before(id, job);
        if (job.raw->size() - (before ? before->rowsDone() : 0) <= kAtOnce) {
            const auto smoothed = shared_->smoothed(id, job);
            lock.unlock();
            Q_EMIT ready(id, smoothed, n);
            return;
        }
    }
    shared_->waiting[id] = job;
    if (std::exchange(shared_->running, true)) return;
    start();
}

void Smoother::forget(int id) {
    const QMutexLocker lock(&shared_->mutex);
    shared_->waiting.erase(id);
    shared_->forgotten.push_back(id);
}

void Smoother::start() {
    backgroundPool().start([shared = shared_] {
        while (true) {
            int id = 0;
            Job job;
            {
                const QMutexLocker lock(&shared->mutex);
                shared->clearForgotten();
                if (shared->waiting.empty()) {
                    shared->running = false;
                    return;
                }
                id = shared->waiting.begin()->first;
                job = std::move(shared->waiting.begin()->second);
                shared->waiting.erase(shared->waiting.begin());
            }
            auto smoothed = shared->smoothed(id, job);
            const QMutexLocker lock(&shared->mutex);
            Smoother* owner = shared->owner;
            if (!owner) continue;
            QMetaObject::invokeMethod(
                owner, [owner, id, smoothed, n = job.n] { Q_EMIT owner->ready(id, smoothed, n); }, Qt::QueuedConnection);
        }
    });
}

}  // namespace heddle::ui
