// SPDX-License-Identifier: Apache-2.0
#include "storage/inbox.h"

#include "storage/file_system.h"
#include "storage/run_store.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <limits>

namespace heddle::storage {

namespace {

constexpr const char* kCreate =
    "CREATE TABLE IF NOT EXISTS request (seq INTEGER PRIMARY KEY AUTOINCREMENT, id INTEGER NOT NULL UNIQUE, verb TEXT NOT NULL,"
    " run TEXT NOT NULL, body TEXT NOT NULL, at REAL NOT NULL) STRICT";
constexpr const char* kCreateTaken = "CREATE TABLE IF NOT EXISTS taken (id INTEGER PRIMARY KEY) STRICT";

/// Requesters wait for seconds and then withdraw their request. What is older was left by a process that was killed, or comes
/// with a file from elsewhere.
constexpr double kPatienceSeconds = 120;

std::string inboxFile(const std::string& databaseFile) { return realFile(databaseFile) + ".inbox"; }

/// Random, so that an id is never reused, even after the inbox is deleted and recreated.
std::int64_t randomId() {
    std::uint64_t bits = 0;
    while (bits == 0) {
        if (::getrandom(&bits, sizeof bits, 0) != sizeof bits) bits = 0;
        bits &= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    }
    return static_cast<std::int64_t>(bits);
}

/// Runs `f` in a write transaction of the inbox, creating its tables if missing.
template <class F>
void change(Connection& inbox, F&& f) {
    inbox.guarded([&] {
        inbox.execute("BEGIN IMMEDIATE");
        try {
            inbox.execute(kCreate);
            inbox.execute(kCreateTaken);
            f();
            inbox.execute("COMMIT");
        } catch (...) {
            inbox.database().tryExec("ROLLBACK");
            throw;
        }
    });
}

}  // namespace

std::int64_t putRequest(const std::string& file, const InboxRequest& request) {
    createPrivate(inboxFile(file));
    Connection inbox(inboxFile(file), Connection::Mode::Write);
    const std::int64_t id = request.id != 0 ? request.id : randomId();
    const double at = request.at > 0 ? request.at : unixTime();
    change(inbox, [&] {
        inbox.query("INSERT INTO request (id, verb, run, body, at) VALUES (?, ?, ?, ?, ?)")
            .with(id, request.verb, request.run, request.body, at)
            .run();
    });
    return id;
}

std::optional<std::pair<bool, std::string>> readAnswer(const std::string& file, std::int64_t request) {
    std::string real = realFile(file);
    if (inspect(real) != FileKind::RunDatabase) return std::nullopt;  // its owner has not created it yet
    Connection connection(real, Connection::Mode::Read);
    return connection.guarded([&]() -> std::optional<std::pair<bool, std::string>> {
        Query row = connection.query("SELECT ok, text FROM answer WHERE request = ?");
        if (!row.with(request).next()) return std::nullopt;
        return std::pair(row.integer(0) != 0, row.text(1));
    });
}

bool withdrawRequest(const std::string& file, std::int64_t request) {
    struct stat status {};
    if (::stat(inboxFile(file).c_str(), &status) != 0) return false;
    Connection inbox(inboxFile(file), Connection::Mode::Write);
    bool isRemoved = false;
    change(inbox, [&] {
        inbox.query("DELETE FROM request WHERE id = ? AND id NOT IN (SELECT id FROM taken)").with(request).run();
        isRemoved = inbox.database().getChanges() > 0;
    });
    return isRemoved;
}

Inbox::Inbox(const std::string& databaseFile) : file_(inboxFile(databaseFile)) {}

Inbox::~Inbox() {
    try {
        removeAnswered();
        if (taken_.empty() || !open()) return;
        change(*connection_, [&] {
            for (const std::int64_t request : taken_) connection_->query("DELETE FROM taken WHERE id = ?").with(request).run();
        });
    } catch (const std::exception&) {
        // The marks stay: the next owner executes these requests, and they cannot be withdrawn.
    }
}

bool Inbox::open() {
    struct stat status {};
    if (::stat(file_.c_str(), &status) != 0 || status.st_size == 0) {
        connection_.reset();
        return false;
    }
    if (!connection_ || status.st_ino != inode_) {  // it may have been deleted and recreated
        connection_.reset();
        connection_ = std::make_unique<Connection>(file_, Connection::Mode::Write);
        inode_ = status.st_ino;
    }
    return true;
}

void Inbox::setAside(const char* suffix, const std::string& why) {
    connection_.reset();
    std::error_code failure;
    std::filesystem::rename(file_, file_ + suffix, failure);
    notice_ = fmt::format("{} {}; its requests are not executed{}", file_, why,
                          failure ? "" : fmt::format(", it is now {}{}", file_, suffix));
}

/// Whether the inbox may be opened: a stranger may have put it beside the database. False also if there is none.
bool Inbox::isOurs() {
    struct stat status {};
    if (::lstat(file_.c_str(), &status) != 0) return false;
    if (!S_ISREG(status.st_mode)) {
        setAside(".foreign", "is not a regular file");
        return false;
    }
    if (status.st_uid != ::geteuid()) {
        setAside(".foreign", fmt::format("belongs to another user (uid {})", status.st_uid));
        return false;
    }
    return true;
}

std::vector<InboxRequest> Inbox::take() {
    using Kind = StorageError::Kind;
    notice_.clear();
    try {
        if (!isOurs()) {
            connection_.reset();
            return {};
        }
        removeAnswered();
        return open() && hasNew() ? takeNew() : std::vector<InboxRequest>();
    } catch (const StorageError& error) {
        if (error.kind() == Kind::Locked) return {};  // another process is putting a request; retry at the next call
        if (error.kind() != Kind::Corrupt && error.kind() != Kind::NotADatabase && error.kind() != Kind::Invalid) throw;
        setAside(".damaged", "is damaged");
        return {};
    }
}

std::vector<InboxRequest> Inbox::takeNew() {
    std::vector<InboxRequest> requests;
    change(*connection_, [&] {
        Query rows = connection_->query("SELECT id, verb, run, body, at FROM request ORDER BY seq");
        while (rows.next())
            if (!taken_.contains(rows.integer(0)))
                requests.push_back({rows.integer(0), rows.text(1), rows.text(2), rows.text(3), rows.real(4)});
        for (const InboxRequest& request : requests)
            connection_->query("INSERT OR REPLACE INTO taken (id) VALUES (?)").with(request.id).run();
    });
    const double now = unixTime();
    for (InboxRequest& request : requests) {
        taken_.insert(request.id);
        if (std::abs(now - request.at) > kPatienceSeconds)
            request.refusal = fmt::format(
                "the request to {} was made {:.0f} s {} the time of this machine and is not executed: repeat "
                "it if it is still wanted",
                request.verb, std::abs(now - request.at), request.at < now ? "before" : "after");
    }
    return requests;
}

/// Checks without writing, since most calls find no request.
bool Inbox::hasNew() {
    return connection_->guarded([&] {
        Query rows = connection_->query("SELECT id FROM request");
        while (rows.next())
            if (!taken_.contains(rows.integer(0))) return true;
        return false;
    });
}

void Inbox::answered(std::int64_t request) {
    const std::lock_guard lock(mutex_);
    answered_.push_back(request);
}

/// Removes the answered requests from the inbox; after a failure the next call tries again.
void Inbox::removeAnswered() {
    std::vector<std::int64_t> requests;
    {
        const std::lock_guard lock(mutex_);
        requests = answered_;
    }
    if (requests.empty()) return;
    if (open())
        change(*connection_, [&] {
            for (const std::int64_t request : requests) {
                connection_->query("DELETE FROM request WHERE id = ?").with(request).run();
                connection_->query("DELETE FROM taken WHERE id = ?").with(request).run();
            }
        });
    for (const std::int64_t request : requests) taken_.erase(request);
    const std::lock_guard lock(mutex_);
    answered_.erase(answered_.begin(), answered_.begin() + static_cast<std::ptrdiff_t>(requests.size()));
}

}  // namespace heddle::storage
