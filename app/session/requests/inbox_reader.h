// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/run_store.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace heddle::app {

/// Reads the requests of other processes and executes them sequentially on its own thread, so that a waiting request (for an
/// engine thread, a loading library, a locked inbox) does not block the recorder.
class InboxReader {
public:
    struct Handlers {
        /// Must answer each request once, or leave it to the next owner.
        std::function<void(const storage::InboxRequest&)> execute;
        std::function<bool()> isDatabaseLost;  ///< the inbox may then belong to another database
    };
    /// `store` must outlive this object; only its takeRequests() and inboxNotice() are called.
    InboxReader(storage::RunStore& store, Handlers handlers, std::chrono::milliseconds every);
    ~InboxReader();  ///< stop()

    /// Waits for the taken requests and ends the thread. Handlers may wait for the recorder until then.
    void stop();
    /// Waits until every request now in the inbox has been executed or started. Do not call from handlers.
    void waitRead();
    /// Why requests cannot be read or answered now; else the last that was refused for its age or origin; or empty.
    std::string problem() const;

private:
    void run();
    void read();
    bool waitForNext();

    storage::RunStore& store_;
    const Handlers handlers_;
    const std::chrono::milliseconds every_;

    mutable std::mutex mutex_;  ///< guards what follows
    std::condition_variable changed_;
    std::string problem_, notice_;
    std::uint64_t reads_ = 0;
    bool stopping_ = false;

    std::thread thread_;
};

}  // namespace heddle::app
