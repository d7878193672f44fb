// SPDX-License-Identifier: Apache-2.0
#include "engine/data/batching/prefetcher.h"

#include "engine/base/error.h"

#include <fmt/format.h>

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

namespace heddle {
namespace {

/// How many batches of this process wait in the queue at most: enough to hide a slow batch, in little memory.
constexpr std::size_t kQueuedBatches = 4;

}  // namespace

struct Prefetcher::Impl {
    const EncodedCorpus& corpus;
    const BatchOptions options;
    const BatchMaker makeBatch;
    const Share share;

    std::mutex mutex;
    std::condition_variable_any roomMade, itemAdded;
    std::deque<Item> queue;
    std::exception_ptr failure;
    std::jthread thread;  // declared last, so that it is joined before the members it uses are destroyed

    Impl(const EncodedCorpus& c, const BatchOptions& o, BatchMaker make, Share s)
        : corpus(c), options(o), makeBatch(std::move(make)), share(s) {}

    void work(const std::stop_token& stop, std::int64_t epoch, std::int64_t index) {
        try {
            while (!stop.stop_requested()) {
                const auto plan = planEpoch(corpus, options, epoch);
                const auto count = static_cast<std::int64_t>(plan.size());
                if (index < 0 || index > count)
                    throwInvalid(fmt::format("batch {} of an epoch of {} batches", index, count), "resuming",
                                 "the data have changed since the run was started");
                for (; index < count; ++index) {
                    Batch batch;
                    if (share.has(index)) batch = makeBatch(corpus, plan[static_cast<std::size_t>(index)], epoch);
                    if (!put({std::move(batch), epoch, index, count}, stop)) return;
                }
                ++epoch;
                index = 0;
            }
        } catch (...) {
            const std::lock_guard lock(mutex);
            failure = std::current_exception();
            itemAdded.notify_all();
        }
    }

    /// False when asked to stop.
    bool put(Item item, const std::stop_token& stop) {
        std::unique_lock lock(mutex);
        if (!roomMade.wait(lock, stop, [this] { return queue.size() < kQueuedBatches * static_cast<std::size_t>(share.size); }))
            return false;
        queue.push_back(std::move(item));
        itemAdded.notify_one();
        return true;
    }
};

Prefetcher::Prefetcher(const EncodedCorpus& corpus, const BatchOptions& options, BatchMaker makeBatch, Start start, Share share)
    : impl_(std::make_unique<Impl>(corpus, options, std::move(makeBatch), share)) {
    impl_->thread =
        std::jthread([impl = impl_.get(), start](const std::stop_token& stop) { impl->work(stop, start.epoch, start.batch); });
}

Prefetcher::~Prefetcher() = default;

Prefetcher::Item Prefetcher::next() {
    std::unique_lock lock(impl_->mutex);
    impl_->itemAdded.wait(lock, [this] { return !impl_->queue.empty() || impl_->failure; });
    if (impl_->queue.empty()) std::rethrow_exception(impl_->failure);
    Item item = std::move(impl_->queue.front());
    impl_->queue.pop_front();
    impl_->roomMade.notify_one();
    return item;
}

}  // namespace heddle
