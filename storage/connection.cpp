// SPDX-License-Identifier: Apache-2.0
#include "storage/connection.h"

#include "storage/record_tables.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <limits>

namespace heddle::storage {

namespace {

using Kind = StorageError::Kind;

/// RFC 3986 encoding of a path for a "file:" address.
std::string fileAddress(const std::string& path, const char* query) {
    std::string address = "file:";
    for (unsigned char c : path) {
        bool plain =
            (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '/' || c == '.' || c == '_';
        address += plain ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
    }
    return address + query;
}

SQLite::Database openDatabase(const std::string& file, Connection::Mode mode) {
    try {
        switch (mode) {
        case Connection::Mode::Write: return SQLite::Database(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        case Connection::Mode::Read: return SQLite::Database(file, SQLite::OPEN_READONLY);
        case Connection::Mode::Immutable:
            return SQLite::Database(fileAddress(file, "?immutable=1"), SQLite::OPEN_READONLY | SQLite::OPEN_URI);
        }
    } catch (const SQLite::Exception& e) {
        throw StorageError(Kind::InputOutput, fmt::format("cannot open the database: {}", e.getErrorStr()), file,
                           "check the path and its permissions");
    }
    throw StorageError(Kind::Invalid, "unknown open mode", file, "");
}

}  // namespace

double Query::real(int column) const {
    return statement_->isColumnNull(column) ? std::numeric_limits<double>::quiet_NaN()
                                            : statement_->getColumn(column).getDouble();
}

std::string Query::text(int column, std::size_t most) const {
    const SQLite::Column value = statement_->getColumn(column);
    const auto size = static_cast<std::size_t>(value.getBytes());
    if (size > most)
        throw StorageError(StorageError::Kind::Corrupt, fmt::format("a text of {} bytes exceeds the limit of {}", size, most),
                           "", "Heddle does not write such texts: the record is damaged or malicious");
    return value.getString();
}

Bytes Query::blob(int column) const {
    SQLite::Column value = statement_->getColumn(column);
    return {static_cast<const std::uint8_t*>(value.getBlob()), static_cast<std::size_t>(value.getBytes())};
}

void Query::bind(int index, Bytes value) {
    static const std::uint8_t kNothing = 0;  // a null pointer would bind NULL
    statement_->bindNoCopy(index, value.empty() ? &kNothing : value.data(), static_cast<int>(value.size()));
}

Connection::Connection(const std::string& file, Mode mode) : file_(file), database_(openDatabase(file, mode)) {
    guarded([&] { configure(mode); });
}

void Connection::configure(Mode mode) {
    constexpr int kBusyTimeoutMs = 5000;
    database_.setBusyTimeout(kBusyTimeoutMs);
    auto set = [&](int option, int value) { sqlite3_db_config(handle(), option, value, nullptr); };
    set(SQLITE_DBCONFIG_DEFENSIVE, 1);
    set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0);
    set(SQLITE_DBCONFIG_ENABLE_TRIGGER, 0);
    set(SQLITE_DBCONFIG_ENABLE_VIEW, 0);  // we read only tables, so a hostile view cannot replace one
    set(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0);
    set(SQLITE_DBCONFIG_DQS_DML, 0);
    set(SQLITE_DBCONFIG_DQS_DDL, 0);
    execute("PRAGMA cell_size_check = ON");
    defineRowChecksum(handle());
    limitLength(mode == Mode::Write ? Values::Blobs : Values::Texts);
    if (mode == Mode::Write) {
        execute("PRAGMA foreign_keys = ON");
        execute("PRAGMA secure_delete = OFF");
        execute("PRAGMA wal_autocheckpoint = 0");
    } else {
        // Only the writer may checkpoint: SQLite before 3.51.3 has a race between two (research/reliability.md, 0.1).
        set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1);
        execute("PRAGMA query_only = ON");
    }
}

void Connection::limitLength(Values values) {
    constexpr int kTexts = 2 * static_cast<int>(Query::kLargestText), kBlobs = 512 << 20;
    sqlite3_limit(handle(), SQLITE_LIMIT_LENGTH, values == Values::Texts ? kTexts : kBlobs);
}

Query Connection::query(std::string_view sql) {
    auto found = statements_.find(sql);
    if (found == statements_.end())
        found = statements_.emplace(std::string(sql), SQLite::Statement(database_, std::string(sql))).first;
    found->second.tryReset();
    return Query(found->second);
}

void Connection::execute(const char* sql) { database_.exec(sql); }

std::int64_t Connection::pragma(const char* sql) {
    SQLite::Statement statement(database_, sql);
    return statement.executeStep() ? statement.getColumn(0).getInt64() : 0;
}

void Connection::throwTranslated(const SQLite::Exception& e) {
    int code = e.getErrorCode();
    int systemError = sqlite3_system_errno(handle());
    std::string detail = fmt::format("{} [SQLite {}]", e.getErrorStr(), e.getExtendedErrorCode());
    // A file size limit or a quota arrives as an input/output error with the system's errno.
    bool noRoom = code == SQLITE_FULL ||
                  (code == SQLITE_IOERR && (systemError == ENOSPC || systemError == EDQUOT || systemError == EFBIG));
    if (noRoom)
        throw StorageError(Kind::Full, "the disk is full; everything committed before is safe", file_,
                           "free some space and try again");
    switch (code) {
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        throw StorageError(Kind::InputOutput,
                           fmt::format("cannot read or write the database: {}{}{}", detail, systemError ? ", " : "",
                                       systemError ? std::strerror(systemError) : ""),
                           file_, "check the disk and the folder's permissions; a copy also needs the file's -wal");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        throw StorageError(Kind::Locked, "another program is changing the database", file_, "close it and try again");
    case SQLITE_NOTADB:
        throw StorageError(Kind::NotADatabase, "not a Heddle run database", file_, "choose a file that ends in .heddle");
    case SQLITE_TOOBIG:
        throw StorageError(Kind::Corrupt, "a record is larger than any that Heddle writes", file_,
                           "the file is damaged or malicious: do not use it");
    case SQLITE_CONSTRAINT:
        // A duplicate key is a mistake of the caller. Other constraint violations mean damage, since rows written by Heddle
        // satisfy them.
        if (e.getExtendedErrorCode() == SQLITE_CONSTRAINT_UNIQUE || e.getExtendedErrorCode() == SQLITE_CONSTRAINT_PRIMARYKEY)
            break;
        [[fallthrough]];
    case SQLITE_CORRUPT:
        throw StorageError(Kind::Corrupt, fmt::format("the database is damaged: {}", detail), file_,
                           "restore a copy, or save what is readable with `sqlite3 FILE .recover`");
    case SQLITE_ERROR:
        throw StorageError(Kind::Corrupt, fmt::format("the tables of the database differ from its schema: {}", e.what()), file_,
                           "restore a copy; another program changed the file, or it was made by a Heddle in development");
    default: break;
    }
    throw StorageError(Kind::Invalid, detail, file_, "please report this with the command that led to it");
}

}  // namespace heddle::storage
