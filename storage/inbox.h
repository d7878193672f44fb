// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/connection.h"

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace heddle::storage {

/// The owner's end of FILE.heddle.inbox, a small SQLite file in rollback-journal mode into which any process puts requests
/// (putRequest). One thread, but for answered(). A request stays in the inbox until its answer has been committed to the run
/// database: an owner that dies in between leaves it to the next one. A request that an owner has taken is marked, so that the
/// process that made it knows whether it can still be withdrawn.
class Inbox {
public:
    explicit Inbox(const std::string& databaseFile);
    ~Inbox();  ///< what was taken and not answered can be withdrawn again
    Inbox(const Inbox&) = delete;
    Inbox& operator=(const Inbox&) = delete;
    /// Requests that this object has not returned yet, in the order in which they came. A damaged inbox is moved aside to
    /// FILE.heddle.inbox.damaged: it must not stop the training.
    std::vector<InboxRequest> take();
    /// Its answer has been committed: the next look at the inbox removes the request. Any thread, touches no file.
    void answered(std::int64_t request);

private:
    bool open();
    bool hasNew();
    std::vector<InboxRequest> takeNew();
    void removeAnswered();
    void setAside();

    std::string file_;
    std::unique_ptr<Connection> connection_;
    std::uint64_t inode_ = 0;
    std::set<std::int64_t> taken_;
    std::mutex mutex_;
    std::vector<std::int64_t> answered_;  ///< guarded by mutex_; still in the inbox
};

}  // namespace heddle::storage
