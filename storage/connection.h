// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/blob.h"
#include "storage/records.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace heddle::storage {

/// One use of a cached prepared statement. The destructor resets it; a statement that is not reset keeps its read transaction
/// and so the write-ahead log.
class Query {
public:
    static constexpr std::size_t kLargestText = std::size_t{16} << 20;

    explicit Query(SQLite::Statement& statement) : statement_(&statement) {}
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;
    ~Query() { statement_->tryReset(); }

    /// Binds parameters 1, 2, … Blobs and strings must outlive the last step. A NaN is bound as NULL (SQLite's rule).
    template <class... Values>
    Query& with(const Values&... values) {
        int index = 0;
        (bind(++index, values), ...);
        return *this;
    }
    bool next() { return statement_->executeStep(); }
    void run() {
        while (statement_->executeStep()) continue;
    }

    std::int64_t integer(int column) const { return statement_->getColumn(column).getInt64(); }
    /// Throws StorageError Corrupt before copying a text longer than `most` bytes.
    std::string text(int column, std::size_t most = kLargestText) const;
    double real(int column) const;  ///< NULL is NaN
    Bytes blob(int column) const;   ///< valid until the next step
    bool isNull(int column) const { return statement_->isColumnNull(column); }

private:
    void bind(int index, std::int64_t value) { statement_->bind(index, value); }
    void bind(int index, std::uint64_t value) { statement_->bind(index, static_cast<std::int64_t>(value)); }
    void bind(int index, int value) { statement_->bind(index, value); }
    void bind(int index, std::uint32_t value) { statement_->bind(index, static_cast<std::int64_t>(value)); }
    void bind(int index, bool value) { statement_->bind(index, value ? 1 : 0); }
    void bind(int index, double value) { statement_->bind(index, value); }
    void bind(int index, const std::string& value) { statement_->bindNoCopy(index, value); }
    void bind(int index, const char* value) { statement_->bindNoCopy(index, value); }
    void bind(int index, Bytes value);

    SQLite::Statement* statement_;
};

/// A SQLite connection with our settings: defensive, untrusted schema, busy timeout of five seconds, cached statements. One
/// thread. guarded() translates errors to StorageError.
class Connection {
public:
    enum class Mode {
        Write,      ///< creates a missing file; never checkpoints by itself
        Read,       ///< read-only; does not checkpoint on close
        Immutable,  ///< read-only without locks or shared memory; only when nobody can write
    };
    /// `file` must be absolute. Throws StorageError.
    Connection(const std::string& file, Mode mode);

    /// Statements are kept for the next time, by their text: it holds placeholders, never values.
    Query query(std::string_view sql);
    void execute(const char* sql);
    std::int64_t pragma(const char* sql);  ///< the integer result of a PRAGMA

    /// Limits the length of texts and blobs; longer ones are an error before any allocation.
    enum class Values { Texts, Blobs };
    void limitLength(Values values);

    /// Number of rows inserted, changed or deleted by the last statement.
    std::int64_t changes() const { return database_.getChanges(); }

    /// Runs `f` and turns SQLite's exceptions into StorageError.
    template <class F>
    decltype(auto) guarded(F&& f) {
        try {
            return std::forward<F>(f)();
        } catch (const SQLite::Exception& e) {
            throwTranslated(e);
        }
    }

    SQLite::Database& database() { return database_; }
    sqlite3* handle() { return database_.getHandle(); }
    const std::string& file() const { return file_; }

private:
    [[noreturn]] void throwTranslated(const SQLite::Exception& e);
    void configure(Mode mode);

    std::string file_;
    SQLite::Database database_;
    std::map<std::string, SQLite::Statement, std::less<>> statements_;
};

/// A read transaction, in which all statements see the same state of the database.
class ReadTransaction {
public:
    explicit ReadTransaction(Connection& connection) : connection_(connection) { connection_.execute("BEGIN"); }
    ReadTransaction(const ReadTransaction&) = delete;
    ReadTransaction& operator=(const ReadTransaction&) = delete;
    ~ReadTransaction() { connection_.database().tryExec("ROLLBACK"); }

private:
    Connection& connection_;
};

}  // namespace heddle::storage
