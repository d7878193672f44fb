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

/// Reads the requests of other processes and has them carried out one after the other, on a thread of its own: whatever a
/// request waits for (an engine thread, a library that is loaded, an inbox that another process holds), the recorder records
/// meanwhile.
class InboxReader {
public:
    struct Handlers {
        std::function<void(const storage::InboxRequest&)>
            carryOut;                          ///< must lead to one answer each, or leave it to the next owner
        std::function<bool()> isDatabaseLost;  ///< then the inbox may be that of another database
    };
    /// `store` must outlive this object; only its takeRequests() is called.
    InboxReader(storage::RunStore& store, Handlers handlers, std::chrono::milliseconds every);
    ~InboxReader();  ///< stop()

    /// Waits for the requests that have been taken and ends the thread. Handlers may wait for the recorder until then.
    void stop();
    /// Waits until every request that is in the inbox now has been carried out or is under way. Not from handlers.
    void waitRead();
    /// Why requests cannot be read or answered at present, or empty.
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
    std::string problem_;
    std::uint64_t reads_ = 0;
    bool stopping_ = false;

    std::thread thread_;
};

}  // namespace heddle::app
