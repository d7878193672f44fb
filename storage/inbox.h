// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/connection.h"

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace heddle::storage {

/// The owner's side of FILE.heddle.inbox, a small SQLite file in rollback-journal mode into which any process puts requests
/// (putRequest). One thread, except answered(). A request stays in the inbox until its answer is committed to the run database,
/// so that an owner that dies before leaves it to the next one. Taken requests are marked, because they can no longer be
/// withdrawn.
class Inbox {
public:
    explicit Inbox(const std::string& databaseFile);
    ~Inbox();  ///< unanswered requests can be withdrawn again
    Inbox(const Inbox&) = delete;
    Inbox& operator=(const Inbox&) = delete;
    /// Requests that this object has not returned yet, in order of arrival. A damaged inbox is renamed to
    /// FILE.heddle.inbox.damaged, so that it does not stop training; one that is a link or belongs to another user to
    /// FILE.heddle.inbox.foreign. Requests that nobody waits for any more have a `refusal`.
    std::vector<InboxRequest> take();
    /// What the last take() renamed, or empty.
    const std::string& notice() const { return notice_; }
    /// Call after the answer was committed; the next take() removes the request. Any thread; accesses no file.
    void answered(std::int64_t request);

private:
    bool open();
    bool hasNew();
    std::vector<InboxRequest> takeNew();
    void removeAnswered();
    bool isOurs();
    void setAside(const char* suffix, const std::string& why);

    std::string file_, notice_;
    std::unique_ptr<Connection> connection_;
    std::uint64_t inode_ = 0;
    std::set<std::int64_t> taken_;
    std::mutex mutex_;
    std::vector<std::int64_t> answered_;  ///< guarded by mutex_; not yet removed from the inbox
};

}  // namespace heddle::storage
