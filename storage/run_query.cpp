// SPDX-License-Identifier: Apache-2.0
#include "storage/run_query_parts.h"

#include "storage/file_system.h"
#include "storage/followed_file.h"
#include "storage/run_store.h"
#include "storage/schema.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace heddle::storage {

namespace {

using Kind = StorageError::Kind;

/// Heddle never writes longer names and reasons.
constexpr std::size_t kLargestName = std::size_t{64} << 10;

const std::string& runColumns() {
    static const std::string kColumns =
        "SELECT " + kRunTable.isWhole("run") +
        ", num, id, name, state, reason, spec, variant_hash, run_hash, seed, created, attempts, step, epoch, total_steps,"
        " parameters, seconds, lineage, run_group, tags, rev, coalesce(trashed, 0.0), queued, edits,"
        " coalesce(intervened, -1) FROM run ";
    return kColumns;
}

/// Reads an undamaged row. Throws StorageError Corrupt for texts that are too long.
RunRecord wholeRun(const Query& row) {
    RunRecord run;
    run.id = row.text(2);
    run.name = row.text(3, kLargestName);
    run.state = row.text(4, kLargestName);
    run.reason = row.text(5, kLargestName);
    run.spec = row.text(6);
    run.variantHash = row.text(7, kLargestName);
    run.runHash = row.text(8, kLargestName);
    run.seed = static_cast<std::uint64_t>(row.integer(9));
    run.created = row.real(10);
    run.attempts = row.integer(11);
    run.step = row.integer(12);
    run.epoch = row.integer(13);
    run.totalSteps = row.integer(14);
    run.parameters = row.integer(15);
    run.seconds = row.real(16);
    run.lineage = row.text(17, kLargestName);
    run.group = row.text(18, kLargestName);
    run.tags = tokensFromJson(row.text(19, kLargestName)).value_or(std::vector<std::string>{});
    run.rev = row.integer(20);
    run.trashed = row.real(21);
    run.queued = row.real(22);
    run.edits = row.text(23, kLargestName);
    run.intervened = row.integer(24);
    return run;
}

/// What the user must know about a database that is read in this mode; empty: nothing.
std::string noticeOf(const std::string& file, FollowedFile::How how) {
    if (how == FollowedFile::How::Copy)
        return file + ": another machine may write it; a copy is read, and made anew when it changes";
    if (how == FollowedFile::How::Immutable)
        return file + ": the folder is not writable; it is read anew when the file changes";
    return onNetworkFileSystem(file) ? file + " is on a network file system: open it from one machine only" : "";
}

void requireSchema(Connection& connection) {
    const int version = connection.guarded([&] { return knownSchemaOf(connection); });
    if (version < schemaVersion())
        throw StorageError(
            Kind::Invalid,
            fmt::format("the database has the older schema {} and cannot be migrated to {} here", version, schemaVersion()),
            connection.file(), "copy it to a writable folder, and open it there");
}

/// A program killed while creating the database leaves a journal that only a writer may roll back. Becomes the writer and
/// creates the database.
void rollBackBrokenOffWriting(const std::string& file) {
    if (sizeOf(file + "-journal") > 0 && folderIsWritable(file) && currentOwner(file).empty())
        RunStore::open(file, {"recovery", 1.0});
}

/// Upgrades an older schema by becoming the writer.
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

std::unique_ptr<RunQuery> RunQuery::open(const std::string& file, std::function<void(const Damage&)> onDamage) {
    std::string real = realFile(file);
    rollBackBrokenOffWriting(real);
    switch (inspect(real)) {
    case FileKind::Missing:
        throw StorageError(Kind::NoDatabase, "no such run database", file, "train a run first, or choose another database");
    case FileKind::Empty: throw StorageError(Kind::NoDatabase, "the run database is empty", file, "train a run first");
    case FileKind::Other:
        throw StorageError(Kind::NotADatabase, "not a Heddle run database", file, "choose a file that ends in .heddle");
    case FileKind::RunDatabase: break;
    }
    auto followed = std::make_unique<FollowedFile>(real);
    if (followed->how() == FollowedFile::How::Shared) upgradeOlder(real);
    return std::unique_ptr<RunQuery>(new RunQuery(std::move(followed), std::move(onDamage)));
}

RunQuery::RunQuery(std::unique_ptr<FollowedFile> file, std::function<void(const Damage&)> onDamage)
    : file_(std::move(file)),
      connection_(file_->open()),
      notice_(noticeOf(file_->file(), file_->how())),
      damages_(std::make_unique<DamageList>(std::move(onDamage))),
      directory_(std::make_unique<SeriesDirectory>()) {
    requireSchema(*connection_);
}

RunQuery::~RunQuery() = default;

const std::vector<RunQuery::Damage>& RunQuery::damages() const { return damages_->all(); }

/// Opens a file anew that was replaced, or that another machine has changed.
void RunQuery::follow() {
    if (!file_->hasChanged()) return;
    auto connection = file_->open();  // where it cannot be opened now, the next look tries again
    requireSchema(*connection);
    connection_ = std::move(connection);
    directory_ = std::make_unique<SeriesDirectory>();
    ++opened_;
    const std::int64_t seen = seen_;
    isOlder_ = isOlder_ || revision() < seen;
}

std::int64_t RunQuery::dataVersion() {
    constexpr int kVersionBits = 32;
    follow();
    if (isOlder_)
        throw StorageError(Kind::Invalid, "the file was replaced by an older or another database", file_->file(),
                           "close it and open it again");
    return connection_->guarded([&] {
        Query row = connection_->query("PRAGMA data_version");
        return opened_ << kVersionBits | (row.next() ? row.integer(0) : 0);
    });
}

std::int64_t RunQuery::revision() {
    return connection_->guarded([&] {
        Query row = connection_->query("SELECT rev FROM meta");
        return seen_ = row.next() ? row.integer(0) : 0;
    });
}

std::vector<std::int64_t> RunQuery::numbersOf(Query& rows) {
    std::vector<std::int64_t> numbers;
    while (rows.next()) numbers.push_back(rows.integer(0));
    return numbers;
}

/// Reads a single row, so that an unreadable row does not hide others.
RunRecord RunQuery::readRun(std::int64_t number) {
    static const std::string kRead = runColumns() + "WHERE num = ?";
    RunRecord damaged;
    damaged.id = damagedRunId(number);
    damaged.state = kDamagedState;
    damaged.damaged = true;
    try {
        return connection_->guarded([&] {
            Query row = connection_->query(kRead);
            if (!row.with(number).next())
                throw StorageError(Kind::Corrupt, "it is listed but not found", connection_->file(), "");
            if (const std::string id = row.text(2, kLargestName); isRunId(id))
                damaged.id = id;
            else
                throw StorageError(Kind::Corrupt, "its id is not 12 hexadecimal digits", connection_->file(), "");
            damaged.rev = row.integer(20);
            damaged.name = row.text(3, kLargestName);
            if (row.integer(0) == 0) throw StorageError(Kind::Corrupt, "its checksum is wrong", connection_->file(), "");
            return wholeRun(row);
        });
    } catch (const StorageError& error) {
        if (error.kind() != Kind::Corrupt) throw;
        damaged.reason = error.problem();
        damages_->add(damaged.id, fmt::format("the record of run {} is damaged: {}", damaged.id, error.problem()));
        return damaged;
    }
}

std::vector<RunRecord> RunQuery::readRuns(const std::vector<std::int64_t>& numbers) {
    std::vector<RunRecord> runs;
    runs.reserve(numbers.size());
    for (const std::int64_t number : numbers) runs.push_back(readRun(number));
    return runs;
}

std::vector<RunRecord> RunQuery::runs(std::int64_t sinceRev) {
    return connection_->guarded([&] {
        const ReadTransaction transaction(*connection_);
        if (sinceRev > 0) {
            Query changed = connection_->query("SELECT num FROM run WHERE rev > ? ORDER BY created, num");
            return readRuns(numbersOf(changed.with(sinceRev)));
        }
        // Does not use the index, which may be damaged, too.
        Query all = connection_->query("SELECT num FROM run NOT INDEXED");
        const auto numbers = numbersOf(all);
        Query counted = connection_->query("SELECT runs FROM meta");
        const std::int64_t recorded = counted.next() ? counted.integer(0) : 0;
        const bool isAscending = std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>()) == numbers.end();
        if (recorded != static_cast<std::int64_t>(numbers.size()) || !isAscending)
            damages_->add("", fmt::format("{} runs are recorded, {} can be read", recorded, numbers.size()));
        auto runs = readRuns(numbers);
        std::stable_sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.created < b.created; });
        return runs;
    });
}

std::optional<RunRecord> RunQuery::run(const std::string& id) {
    return connection_->guarded([&]() -> std::optional<RunRecord> {
        const ReadTransaction transaction(*connection_);
        const auto owner = ownerOf(id);
        return owner ? std::optional(readRun(owner->number)) : std::nullopt;
    });
}

/// The run of an id, even if the index of ids has lost it.
std::optional<RunQuery::Owner> RunQuery::ownerOf(const std::string& run) {
    static const std::string kSelect = "SELECT num, id, " + kRunTable.isWhole("run") + ", " + kCountColumns + " FROM run ";
    static const std::string kByNumber = kSelect + "WHERE num = ?", kById = kSelect + "WHERE id = ?",
                             kByScan = "SELECT num FROM run NOT INDEXED WHERE id = ?";
    const auto read = [&](Query& row) -> std::optional<Owner> {
        if (!row.next()) return std::nullopt;
        Owner owner{row.integer(0), {}, row.integer(2) != 0};
        for (std::size_t i = 0; i < kRecordKinds; ++i) owner.counts[i] = row.integer(3 + static_cast<int>(i));
        if (!owner.isWhole) damages_->add(run, fmt::format("the record of run {} is damaged: its checksum is wrong", run));
        return owner;
    };
    const auto byNumber = [&](std::int64_t number) {
        Query row = connection_->query(kByNumber);
        return read(row.with(number));
    };
    if (const auto number = numberOfDamaged(run)) return byNumber(*number);
    if (!isRunId(run)) return std::nullopt;
    {
        Query row = connection_->query(kById);
        if (auto owner = read(row.with(run))) return owner;
    }
    std::vector<std::int64_t> numbers;
    {
        Query rows = connection_->query(kByScan);
        numbers = numbersOf(rows.with(run));
    }
    if (numbers.empty()) return std::nullopt;
    damages_->add(run, fmt::format("the index of ids does not know run {}", run));
    return byNumber(numbers.front());
}

std::vector<RunRecord> RunQuery::matching(const std::string& idOrPrefixOrName) {
    if (idOrPrefixOrName.empty()) return {};
    if (auto exact = run(idOrPrefixOrName)) return {std::move(*exact)};
    return connection_->guarded([&] {
        const ReadTransaction transaction(*connection_);
        std::vector<RunRecord> found;
        for (const char* sql :
             {"SELECT num FROM run NOT INDEXED WHERE substr(id, 1, length(?1)) = ?1 ORDER BY created DESC, num DESC",
              "SELECT num FROM run NOT INDEXED WHERE name = ? ORDER BY created DESC, num DESC"}) {
            Query rows = connection_->query(sql);
            found = readRuns(numbersOf(rows.with(idOrPrefixOrName)));
            if (!found.empty()) break;
        }
        return found;
    });
}

std::vector<RunQuery::DeletedRun> RunQuery::deletedRuns(std::int64_t sinceRev) {
    return connection_->guarded([&] {
        Query rows = connection_->query("SELECT id, name, at, rev FROM deleted_run WHERE rev > ? ORDER BY rev");
        rows.with(sinceRev);
        std::vector<DeletedRun> deleted;
        while (rows.next()) deleted.push_back({rows.text(0), rows.text(1), rows.real(2), rows.integer(3)});
        return deleted;
    });
}

std::vector<RunQuery::Point> RunQuery::points(const std::string& run, const std::string& name, const std::string& path,
                                              std::int64_t fromStep, std::int64_t toStep) {
    return readCurve({run, name, path}, [&](SeriesReader& reader) { return reader.points({fromStep, toStep}); });
}

std::vector<RunQuery::Point> RunQuery::pointsOfAttempt(const std::string& run, std::int64_t attempt, const std::string& name,
                                                       const std::string& path, std::int64_t fromStep, std::int64_t toStep) {
    return readCurve({run, name, path}, [&](SeriesReader& reader) {
        return reader.pointsOfAttempt(attempt, {fromStep, toStep});
    });
}

std::vector<RunQuery::Bucket> RunQuery::overview(const std::string& run, const std::string& name, const std::string& path,
                                                 std::int64_t fromStep, std::int64_t toStep, std::int64_t buckets) {
    return readCurve({run, name, path}, [&](SeriesReader& reader) { return reader.overview({fromStep, toStep}, buckets); });
}

}  // namespace heddle::storage
