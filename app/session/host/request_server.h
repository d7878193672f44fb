// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/host/run_queue.h"
#include "app/session/recorder/recorder.h"
#include "engine/run/requests.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace heddle::app {

class RunSession;

/// Reads the requests of other processes, executes them one after another on its own thread, and answers them, so that
/// a request that waits (for an engine thread, a loading library, a locked inbox) does not block the recorder. A request leaves
/// the inbox with the commit of its answer.
class RequestServer {
public:
    struct Owner {
        RunSession& session;
        RunQueue& queue;
        Recorder& recorder;
        storage::RunStore& store;  ///< only takeRequests() and inboxNotice() are called
    };
    /// What `owner` names must outlive this object.
    RequestServer(const Owner& owner, std::chrono::milliseconds every);
    ~RequestServer();  ///< stop()

    /// Waits for the requests that were taken, then ends the thread. Until then these requests may wait for the recorder.
    void stop();
    /// Waits until every request now in the inbox has been executed or started.
    void waitRead();
    /// Returns why requests cannot be read or answered now, else the last refusal of a request for its age or origin, else an
    /// empty text.
    std::string problem() const;

private:
    void run();
    void read();
    bool waitForNext();
    void serve(const storage::InboxRequest& row);
    void execute(const Request& request, const storage::InboxRequest& row);

    const Owner owner_;
    const std::chrono::milliseconds every_;

    mutable std::mutex mutex_;  ///< guards what follows
    std::condition_variable changed_;
    std::string problem_, notice_;
    std::uint64_t reads_ = 0;
    bool stopping_ = false;

    std::thread thread_;
};

}  // namespace heddle::app
