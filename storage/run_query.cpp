// SPDX-License-Identifier: Apache-2.0
#include "storage/run_query.h"

#include "storage/file_system.h"
#include "storage/run_store.h"
#include "storage/schema.h"
#include "storage/sqlite_run_query.h"

#include <fmt/core.h>

#include <filesystem>
#include <utility>

namespace heddle::storage {

namespace {

using Kind = StorageError::Kind;

#define HEDDLE_RUN_COLUMNS                                                                                             \
    "SELECT id, name, state, reason, spec, variant_hash, run_hash, seed, created, attempts, step, epoch, total_steps," \
    " parameters, seconds, lineage, run_group, tags, rev, coalesce(trashed, 0.0), queued FROM run "

/// How a database can be read where it lies, and what to say of it.
std::pair<Connection::Mode, std::string> modeFor(const std::string& file) {
    std::error_code missing;
    bool hasLog = std::filesystem::file_size(file + "-wal", missing) > 0 && !missing;
    if (!folderIsWritable(file) && !hasLog)
        return {Connection::Mode::Immutable,
                file + ": the folder is not writable; read as it is now, changes by other programs will not be seen"};
    if (onNetworkFileSystem(file))
        return {Connection::Mode::Read, file + " lies on a network file system: open it from one machine only"};
    return {Connection::Mode::Read, ""};
}

void requireSchema(Connection& connection) {
    int version = connection.guarded([&] { return schemaOf(connection); });
    if (version > schemaVersion())
        throw StorageError(Kind::NewerSchema,
                           fmt::format("the database has schema {}, this program knows up to {}", version, schemaVersion()),
                           connection.file(), "open it with the newer Heddle that made it");
    if (version < schemaVersion())
        throw StorageError(
            Kind::Invalid,
            fmt::format("the database has the older schema {} and cannot be brought to {} here", version, schemaVersion()),
            connection.file(), "copy it to a place where it can be written, and open it there");
}

/// A reader meets an older schema: brings it up to date as the writer that nobody else is just now.
void upgradeOlder(const std::string& file) {
    int version = 0;
    {
        Connection connection(file, Connection::Mode::Read);
        version = connection.guarded([&] { return schemaOf(connection); });
    }
    if (version >= schemaVersion()) return;
    RunStore::open(file, {"schema update", 1.0});
}

}  // namespace

std::string RunQuery::Damage::text() const {
    return fmt::format("{} values of run {}, {}{}{}, attempt {}, steps {} to {}, are damaged: shown as a gap", n, run, name,
                       path.empty() ? "" : " of ", path, attempt, firstStep, lastStep);
}

std::unique_ptr<RunQuery> RunQuery::open(const std::string& file) {
    std::string real = realFile(file);
    switch (inspect(real)) {
    case FileKind::Missing:
        throw StorageError(Kind::NotFound, "no such run database", file, "train something first, or name another --db");
    case FileKind::Empty: throw StorageError(Kind::NotFound, "the run database is empty", file, "train something first");
    case FileKind::Other:
        throw StorageError(Kind::NotADatabase, "not a Heddle run database", file, "choose a file that ends in .heddle");
    case FileKind::RunDatabase: break;
    }
    auto [mode, notice] = modeFor(real);
    if (mode == Connection::Mode::Read && folderIsWritable(real)) upgradeOlder(real);
    return std::make_unique<SqliteRunQuery>(real, mode, std::move(notice));
}

SqliteRunQuery::SqliteRunQuery(const std::string& file, Connection::Mode mode, std::string notice)
    : notice_(std::move(notice)), connection_(file, mode) {
    requireSchema(connection_);
}

std::int64_t SqliteRunQuery::dataVersion() {
    return connection_.guarded([&] {
        Query row = connection_.query("PRAGMA data_version");
        return row.next() ? row.integer(0) : 0;
    });
}

std::int64_t SqliteRunQuery::revision() {
    return connection_.guarded([&] {
        Query row = connection_.query("SELECT rev FROM meta");
        return row.next() ? row.integer(0) : 0;
    });
}

std::vector<RunRecord> SqliteRunQuery::runsOf(Query& rows) {
    std::vector<RunRecord> runs;
    while (rows.next()) {
        RunRecord& run = runs.emplace_back();
        run.id = rows.text(0);
        run.name = rows.text(1);
        run.state = rows.text(2);
        run.reason = rows.text(3);
        run.spec = rows.text(4);
        run.variantHash = rows.text(5);
        run.runHash = rows.text(6);
        run.seed = static_cast<std::uint64_t>(rows.integer(7));
        run.created = rows.real(8);
        run.attempts = rows.integer(9);
        run.step = rows.integer(10);
        run.epoch = rows.integer(11);
        run.totalSteps = rows.integer(12);
        run.parameters = rows.integer(13);
        run.seconds = rows.real(14);
        run.lineage = rows.text(15);
        run.group = rows.text(16);
        run.tags = tokensFromJson(rows.text(17)).value_or(std::vector<std::string>{});  // no reason to hide the runs
        run.rev = rows.integer(18);
        run.trashed = rows.real(19);
        run.queued = rows.real(20);
    }
    return runs;
}

std::vector<RunRecord> SqliteRunQuery::runs(std::int64_t sinceRev) {
    return connection_.guarded([&] {
        Query rows = connection_.query(HEDDLE_RUN_COLUMNS "WHERE rev > ? ORDER BY created, num");
        return runsOf(rows.with(sinceRev));
    });
}

std::optional<RunRecord> SqliteRunQuery::run(const std::string& id) {
    return connection_.guarded([&]() -> std::optional<RunRecord> {
        Query rows = connection_.query(HEDDLE_RUN_COLUMNS "WHERE id = ?");
        auto found = runsOf(rows.with(id));
        return found.empty() ? std::nullopt : std::optional(std::move(found[0]));
    });
}

std::vector<RunRecord> SqliteRunQuery::matching(const std::string& idOrPrefixOrName) {
    if (idOrPrefixOrName.empty()) return {};
    return connection_.guarded([&] {
        ReadTransaction transaction(connection_);
        std::vector<RunRecord> found;
        for (const char* sql : {HEDDLE_RUN_COLUMNS "WHERE id = ?",
                                HEDDLE_RUN_COLUMNS "WHERE substr(id, 1, length(?1)) = ?1 ORDER BY created DESC, num DESC",
                                HEDDLE_RUN_COLUMNS "WHERE name = ? ORDER BY created DESC, num DESC"}) {
            Query rows = connection_.query(sql);
            found = runsOf(rows.with(idOrPrefixOrName));
            if (!found.empty()) break;
        }
        return found;
    });
}

std::vector<RunQuery::DeletedRun> SqliteRunQuery::deletedRuns(std::int64_t sinceRev) {
    return connection_.guarded([&] {
        Query rows = connection_.query("SELECT id, name, at, rev FROM deleted_run WHERE rev > ? ORDER BY rev");
        rows.with(sinceRev);
        std::vector<DeletedRun> deleted;
        while (rows.next()) deleted.push_back({rows.text(0), rows.text(1), rows.real(2), rows.integer(3)});
        return deleted;
    });
}

std::vector<RunQuery::SeriesKey> SqliteRunQuery::series(const std::string& run) {
    return connection_.guarded([&] {
        Query rows = connection_.query(
            "SELECT s.name, s.path, sum(s.points), min(s.deterministic) FROM run AS r JOIN series AS s ON s.run = r.num"
            " WHERE r.id = ? GROUP BY s.name, s.path ORDER BY s.name, s.path");
        rows.with(run);
        std::vector<SeriesKey> keys;
        while (rows.next()) keys.push_back({rows.text(0), rows.text(1), rows.integer(2), rows.integer(3) != 0});
        return keys;
    });
}

std::vector<RunQuery::Point> SqliteRunQuery::points(const std::string& run, const std::string& name, const std::string& path,
                                                    std::int64_t fromStep, std::int64_t toStep) {
    return readCurve({run, name, path}, [&](SeriesReader& reader) { return reader.points({fromStep, toStep}); });
}

std::vector<RunQuery::Point> SqliteRunQuery::pointsOfAttempt(const std::string& run, std::int64_t attempt,
                                                             const std::string& name, const std::string& path,
                                                             std::int64_t fromStep, std::int64_t toStep) {
    return readCurve({run, name, path}, [&](SeriesReader& reader) {
        return reader.pointsOfAttempt(attempt, {fromStep, toStep});
    });
}

std::vector<RunQuery::Bucket> SqliteRunQuery::overview(const std::string& run, const std::string& name, const std::string& path,
                                                       std::int64_t fromStep, std::int64_t toStep, std::int64_t buckets) {
    return readCurve({run, name, path}, [&](SeriesReader& reader) { return reader.overview({fromStep, toStep}, buckets); });
}

}  // namespace heddle::storage
