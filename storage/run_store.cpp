// SPDX-License-Identifier: Apache-2.0
#include "storage/run_store_parts.h"

#include "storage/file_system.h"
#include "storage/schema.h"

#include <fmt/core.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <filesystem>
#include <utility>

namespace heddle::storage {

namespace {

using Kind = StorageError::Kind;

/// Checks the file before SQLite, the lock or anything else touches it.
void requireOurs(const std::string& file) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(folderOf(file), ignored))
        throw StorageError(Kind::InputOutput, "the folder of the database does not exist", file,
                           "create it, or use another database");
    if (inspect(file) == FileKind::Other)
        throw StorageError(Kind::NotADatabase, "not a Heddle run database; it was left untouched", file,
                           "choose another name for the run database");
    // Each name has a lock and a log of its own.
    struct stat status {};
    if (::stat(file.c_str(), &status) == 0 && status.st_nlink > 1)
        throw StorageError(
            Kind::InputOutput,
            fmt::format("the database has {} hard links: a program that opens another one would not see these changes",
                        status.st_nlink),
            file, "remove the other links (find -samefile lists them), or use a copy");
}

[[noreturn]] void throwFull(const std::string& file) {
    throw StorageError(Kind::Full, "the disk is full", file, "free disk space");
}

/// The file, checked once more under the lock; created if missing.
const std::string& prepared(const std::string& file) {
    requireOurs(file);
    createPrivate(file);
    return file;
}

}  // namespace

std::unique_ptr<RunStore> RunStore::open(const std::string& file, const Options& options) {
    std::string real = realFile(file);
    requireOurs(real);
    return std::unique_ptr<RunStore>(new RunStore(std::move(real), options));
}

RunStore::RunStore(std::string file, const Options& options)
    : file_(std::move(file)),
      isFailing_(options.isFailing),
      lock_(std::make_unique<WriterLock>(file_, options.owner, options.lockTimeout)),
      connection_(std::make_unique<Connection>(prepared(file_), Connection::Mode::Write)),
      inbox_(std::make_unique<Inbox>(file_)),
      series_(std::make_unique<SeriesWriter>(*connection_)) {
    for (const RecordTable& table : recordTables()) {
        insert_[static_cast<std::size_t>(table.kind)] = table.insert();
        replace_[static_cast<std::size_t>(table.kind)] = table.replace();
    }
    if (sqlite3_db_readonly(connection_->handle(), "main") == 1)
        throw StorageError(Kind::InputOutput, "the database is not writable", file_,
                           "change its permissions or copy it elsewhere");
    connection_->guarded([&] {
        prepareSchema();
        chooseJournal();
        forgetOldAnswers();
    });
    identity_ = identityOf(file_).value_or(FileIdentity{});
    lockIdentity_ = identityOf(file_ + ".lock");
    logIdentity_ = identityOf(file_ + "-wal");
    lastWrite_ = lastWriteOf(file_);
}

RunStore::~RunStore() {
    if (open_) connection_->database().tryExec("ROLLBACK");
    if (!wal_ || !placeProblem().empty()) return;  // another program may use the file now
    constexpr int kBusyTimeoutMs = 200;            // for readers; pages that they block stay safe in the log
    sqlite3_busy_timeout(connection_->handle(), kBusyTimeoutMs);
    connection_->database().tryExec("PRAGMA wal_checkpoint(TRUNCATE)");
}

void RunStore::prepareSchema() {
    const int version = knownSchemaOf(*connection_);
    if (version == schemaVersion()) return;
    // A new file is created with a rollback journal: atomic, and application_id is in the main file's header.
    if (version == 0) return applySchema(*connection_, schemaFiles());
    const std::string copy = backUp(*connection_, file_);
    try {
        applySchema(*connection_, schemaFiles());
    } catch (...) {  // the database is unchanged, so the copy is not needed
        std::error_code ignored;
        std::filesystem::remove(copy, ignored);
        throw;
    }
    notice_ = fmt::format("the database was upgraded to schema {}; a copy of the old one is {}", schemaVersion(), copy);
}

void RunStore::chooseJournal() {
    wal_ = !onNetworkFileSystem(file_);
    if (wal_) {
        SQLite::Statement mode(connection_->database(), "PRAGMA journal_mode = WAL");
        wal_ = mode.executeStep() && mode.getColumn(0).getString() == "wal";
    } else {
        SQLite::Statement(connection_->database(), "PRAGMA journal_mode = DELETE").executeStep();
    }
    if (!wal_) {
        notice_ += notice_.empty() ? "" : "; ";
        notice_ += fmt::format(
            "{} is on a network file system: it uses a rollback journal, which is slower; open it from one machine only",
            file_);
        connection_->execute("PRAGMA synchronous = FULL");
        return;
    }
    connection_->execute("PRAGMA synchronous = NORMAL");
    connection_->pragma("PRAGMA journal_size_limit = 67108864");
    auto countPages = [](void* pages, sqlite3*, const char*, int count) {
        *static_cast<int*>(pages) = count;
        return SQLITE_OK;
    };
    sqlite3_wal_hook(connection_->handle(), countPages, &walPages_);
}

/// Requesters wait for seconds; answers older than a day are not read any more.
void RunStore::forgetOldAnswers() {
    constexpr double kDay = 86400;
    double before = unixTime() - kDay;
    {
        Query old = connection_->query("SELECT 1 FROM answer WHERE at < ? LIMIT 1");
        if (!old.with(before).next()) return;
    }
    change([&](std::int64_t) { connection_->query("DELETE FROM answer WHERE at < ?").with(before).run(); });
}

void RunStore::begin() {
    if (open_) throw StorageError(Kind::Invalid, "a transaction is open already", file_, "commit() or rollback() first");
    connection_->guarded([&] {
        connection_->execute("BEGIN IMMEDIATE");
        Query rev = connection_->query("SELECT rev FROM meta");
        rev_ = rev.next() ? rev.integer(0) + 1 : 1;
    });
    open_ = true;
}

void RunStore::commit(Durability durability) {
    if (!open_) throw StorageError(Kind::Invalid, "no transaction is open", file_, "begin() first");
    try {
        if (isFailing(durability == Durability::Full ? Access::DurableCommit : Access::Commit)) throwFull(file_);
        connection_->guarded([&] {
            series_->flush(rev_);
            sealChangedRuns();
            if (changed_)
                connection_->query("UPDATE meta SET rev = ?, runs = runs + ?, items = items + ?")
                    .with(rev_, runsAdded_, itemsAdded_)
                    .run();
            connection_->execute("COMMIT");
        });
    } catch (...) {
        rollback();
        throw;
    }
    std::vector<std::int64_t> answered = std::move(answered_);
    endTransaction();
    if (durability == Durability::Full && !syncWal()) isConfirmed_ = false;
    for (const std::int64_t request : answered) inbox_->answered(request);
    checkpointLargeWal();
}

void RunStore::rollback() {
    connection_->database().tryExec("ROLLBACK");  // SQLite may already have rolled back
    series_->forget();
    numbers_.clear();
    endTransaction();
}

/// Updates record counts and checksums of changed runs, once per transaction.
void RunStore::sealChangedRuns() {
    static const std::string kSeal = kRunTable.seal() + " WHERE num = ?";
    for (const auto& [number, n] : counts_) {
        connection_
            ->query(
                "UPDATE run SET n_attempt = n_attempt + ?, n_series = n_series + ?, n_evaluation = n_evaluation + ?,"
                " n_histogram = n_histogram + ?, n_map = n_map + ?, n_sample = n_sample + ?,"
                " n_checkpoint = n_checkpoint + ?, n_event = n_event + ? WHERE num = ?")
            .with(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], number)
            .run();
        changedRuns_.insert(number);
    }
    for (const std::int64_t number : changedRuns_) connection_->query(kSeal).with(number).run();
}

void RunStore::endTransaction() {
    open_ = changed_ = false;
    answered_.clear();
    counts_.clear();
    changedRuns_.clear();
    runsAdded_ = itemsAdded_ = 0;
}

/// Syncs the log for this commit, as synchronous = FULL would; that setting cannot be changed within a transaction. False if
/// the disk reports an error: the commit is visible, but parts of the log may not be on the disk.
bool RunStore::syncWal() {
    if (!wal_) return true;
    if (isFailing(Access::Sync)) return false;
    sqlite3_file* log = nullptr;
    sqlite3_file_control(connection_->handle(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (!log || !log->pMethods) return true;  // no log yet
    return log->pMethods->xSync(log, SQLITE_SYNC_NORMAL) == SQLITE_OK;
}

/// After a failed sync: copies the whole log into the database file, which is synced, and empties the log, because after a
/// power failure SQLite would read only the part of it before the lost pages.
void RunStore::confirm() {
    const int result = sqlite3_wal_checkpoint_v2(connection_->handle(), "main", SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
    isConfirmed_ = result == SQLITE_OK && syncWal();
    if (!isConfirmed_)
        throw StorageError(Kind::InputOutput, "the last changes are made, but the disk did not confirm them", file_,
                           "check the disk; do not trust this file after a power failure");
}

/// Bounds the log during long periods without idle time. Readers may block parts of it; retried later.
void RunStore::checkpointLargeWal() {
    constexpr int kPages = 2048;                                         // 32 MiB
    if (walPages_ < pagesAtLastCheckpoint_) pagesAtLastCheckpoint_ = 0;  // the log has restarted
    if (!wal_ || walPages_ - pagesAtLastCheckpoint_ < kPages) return;
    pagesAtLastCheckpoint_ = walPages_;
    sqlite3_wal_checkpoint_v2(connection_->handle(), "main", SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
}

void RunStore::checkpointWal() {
    if (open_) throw StorageError(Kind::Invalid, "a transaction is open", file_, "commit() or rollback() first");
    if (isFailing(Access::Checkpoint)) throwFull(file_);
    connection_->guarded([&] {
        // A few free pages are soon reused; of many, at most 8 MiB per call are released, so that a call stays short.
        constexpr int kKeptPages = 64, kFreedPages = 512;
        if (connection_->pragma("PRAGMA freelist_count") > kKeptPages)
            connection_->execute(fmt::format("PRAGMA incremental_vacuum({})", kFreedPages).c_str());
        if (!wal_) return;
        if (!isConfirmed_) return confirm();
        int result = sqlite3_wal_checkpoint_v2(connection_->handle(), "main", SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
        if (result != SQLITE_OK && result != SQLITE_BUSY) throw SQLite::Exception(connection_->handle(), result);
    });
}

std::vector<InboxRequest> RunStore::takeRequests() {
    std::vector<InboxRequest> fresh;
    for (InboxRequest& request : inbox_->take()) {
        if (readAnswer(file_, request.id))  // not through the writing connection, which belongs to another thread
            inbox_->answered(request.id);   // an earlier owner died after its commit and before removing the request
        else
            fresh.push_back(std::move(request));
    }
    return fresh;
}

const std::string& RunStore::inboxNotice() const { return inbox_->notice(); }

void RunStore::answer(std::int64_t request, bool ok, const std::string& text) {
    change([&](std::int64_t rev) {
        connection_->query("INSERT OR REPLACE INTO answer (request, ok, text, at, rev) VALUES (?, ?, ?, ?, ?)")
            .with(request, ok, text, unixTime(), rev)
            .run();
        answered_.push_back(request);
    });
}

std::string artifactFolder(const std::string& file) {
    std::error_code ignored;
    return (std::filesystem::is_symlink(file, ignored) ? realFile(file) : file) + ".d";
}

}  // namespace heddle::storage
