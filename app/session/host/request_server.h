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
/// a waiting request (for an engine thread, a loading library, a locked inbox) does not block the recorder. A request leaves
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

    /// Waits for the taken requests and ends the thread. They may wait for the recorder until then.
    void stop();
    /// Waits until every request now in the inbox has been executed or started.
    void waitRead();
    /// Why requests cannot be read or answered now; else the last that was refused for its age or origin; or empty.
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
