// SPDX-License-Identifier: Apache-2.0
#include "storage/database_report.h"

#include "storage/connection.h"
#include "storage/file_system.h"
#include "storage/followed_file.h"
#include "storage/run_query.h"
#include "storage/run_store.h"
#include "storage/schema.h"

#include <fmt/core.h>

#include <array>
#include <limits>
#include <utility>

namespace heddle::storage {
namespace {

constexpr std::array<std::string_view, 7> kKinds{"maps", "histograms", "series", "samples", "events", "rest", "free"};

std::string_view kindOf(std::string_view table) {
    if (table == "map" || table == "token_list") return "maps";
    if (table == "histogram") return "histograms";
    if (table == "chunk" || table == "series") return "series";
    if (table == "sample" || table == "evaluation") return "samples";
    if (table == "event") return "events";
    return "rest";
}

std::int64_t countOf(Connection& connection, const char* sql) {
    Query row = connection.query(sql);
    return row.next() ? row.integer(0) : 0;
}

/// Bytes per kind of record, from the extension dbstat, which not every SQLite has.
std::vector<DatabaseReport::Use> useOf(Connection& connection, std::uint64_t freeBytes) {
    std::map<std::string_view, std::uint64_t> bytes;
    try {
        Query rows = connection.query(
            "SELECT coalesce(s.tbl_name, d.name), d.pgsize FROM dbstat AS d LEFT JOIN sqlite_schema AS s ON s.name = d.name"
            " WHERE d.aggregate = TRUE");
        while (rows.next()) bytes[kindOf(rows.text(0))] += static_cast<std::uint64_t>(rows.integer(1));
    } catch (const SQLite::Exception&) {
        return {};
    }
    bytes["free"] = freeBytes;
    std::vector<DatabaseReport::Use> use;
    for (const auto kind : kKinds) use.push_back({std::string(kind), bytes[kind]});
    return use;
}

/// A row of three columns as one text.
std::string rowText(const Query& row) {
    std::string text;
    for (int column = 0; column < 3; ++column) text += (row.isNull(column) ? "" : row.text(column)) + "\n";
    return text;
}

/// What has no checksum and stands between people and the values: the views, the tables with which they decode, the codec's
/// name of a chunk. Compared with a new database in memory.
std::vector<std::string> viewProblems(Connection& connection) {
    std::vector<std::string> problems;
    if (const auto other = countOf(connection, "SELECT count(*) FROM chunk WHERE codec <> 'f32'"); other > 0)
        problems.push_back(fmt::format("{} chunks of series have another codec than f32: v_points omits them", other));
    if (schemaOf(connection) != schemaVersion()) return problems;  // the next owner brings it up to date
    Connection expected(":memory:", Connection::Mode::Write);
    applySchema(expected, schemaFiles());
    constexpr std::array<std::pair<const char*, const char*>, 4> kFixed{
        {{"table lookup_position", "SELECT i, NULL, NULL FROM lookup_position ORDER BY i"},
         {"table lookup_byte", "SELECT hex(byte), value, NULL FROM lookup_byte ORDER BY byte"},
         {"table lookup_exponent", "SELECT bits, printf('%!.17g', factor), hidden FROM lookup_exponent ORDER BY bits"},
         {"list of views", "SELECT name, sql, NULL FROM sqlite_schema WHERE type = 'view' ORDER BY name"}}};
    for (const auto& [what, sql] : kFixed) {
        Query found = connection.query(sql), wanted = expected.query(sql);
        bool isEqual = true;
        while (isEqual && wanted.next()) isEqual = found.next() && rowText(found) == rowText(wanted);
        if (!isEqual || found.next())
            problems.push_back(fmt::format("the {} differs from the schema: views may show wrong values", what));
    }
    return problems;
}

/// Reads every record of a run, appends damages to `found` and returns the number of damaged snapshots.
std::int64_t readAll(RunQuery& query, const std::string& run, std::vector<std::string>& found) {
    std::int64_t damaged = 0;
    const auto snapshot = [&](const auto& read) {
        try {
            read();
        } catch (const StorageError& error) {
            if (error.kind() != StorageError::Kind::Corrupt) throw;
            found.push_back(fmt::format("run {}: {}", run, error.problem()));
            ++damaged;
        }
    };
    constexpr auto kEnd = std::numeric_limits<std::int64_t>::max();
    query.attempts(run);
    query.evaluations(run);
    query.checkpoints(run);
    query.events(run);
    query.samples(run);
    for (const auto& series : query.series(run)) {
        query.points(run, series.name, series.path, 0, kEnd);
        query.overview(run, series.name, series.path, 0, kEnd, 1);
    }
    for (const auto& which : query.histogramIndex(run)) snapshot([&] { query.histogram(run, which); });
    for (const auto& which : query.mapIndex(run)) snapshot([&] { query.map(run, which); });
    return damaged;
}

}  // namespace

DatabaseReport reportOn(const std::string& file) {
    const std::string real = realFile(file);
    DatabaseReport report;
    report.notice = RunQuery::open(real)->notice();  // also refuses other files
    report.owner = currentOwner(real);
    report.fileBytes = sizeOf(real);
    report.walBytes = sizeOf(real + "-wal");
    const auto opened = FollowedFile(real).open();
    Connection& connection = *opened;
    connection.guarded([&] {
        const ReadTransaction transaction(connection);
        report.schema = connection.pragma("PRAGMA user_version");
        report.freeBytes =
            static_cast<std::uint64_t>(connection.pragma("PRAGMA freelist_count") * connection.pragma("PRAGMA page_size"));
        Query journal = connection.query("PRAGMA journal_mode");
        if (journal.next()) report.journal = journal.text(0);
        Query created = connection.query("SELECT created FROM meta");
        if (created.next()) report.created = created.real(0);
        report.runs = countOf(connection, "SELECT count(*) FROM run");
        report.attempts = countOf(connection, "SELECT count(*) FROM attempt");
        report.points = countOf(connection, "SELECT coalesce(sum(points), 0) FROM series");
        report.evaluations = countOf(connection, "SELECT count(*) FROM evaluation");
        report.histograms = countOf(connection, "SELECT count(*) FROM histogram");
        report.maps = countOf(connection, "SELECT count(*) FROM map");
        report.use = useOf(connection, report.freeBytes);
    });
    return report;
}

Verification verifyDatabase(const std::string& file, const std::function<bool(std::int64_t, std::int64_t)>& proceed) {
    const std::string real = realFile(file);
    const auto query = RunQuery::open(real);
    Verification result;
    const auto opened = FollowedFile(real).open();
    Connection& connection = *opened;
    connection.guarded([&] {
        Query check = connection.query("PRAGMA integrity_check(20)");
        while (check.next())
            if (const std::string line = check.text(0); line != "ok") result.problems.push_back("SQLite: " + line);
        for (auto& problem : viewProblems(connection)) result.problems.push_back(std::move(problem));
        result.records = countOf(connection,
                                 "SELECT (SELECT count(*) FROM chunk) + (SELECT count(*) FROM item) + coalesce(sum(1 +"
                                 " n_attempt + n_series + n_evaluation + n_histogram + n_map + n_sample + n_checkpoint +"
                                 " n_event), 0) FROM run");
    });
    const auto runs = query->runs();
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (proceed && !proceed(static_cast<std::int64_t>(i), static_cast<std::int64_t>(runs.size()))) {
            result.cancelled = true;
            return result;
        }
        result.damaged += readAll(*query, runs[i].id, result.problems);
    }
    for (const auto& damage : query->damages()) result.problems.push_back(damage.text);
    result.damaged += static_cast<std::int64_t>(query->damages().size());
    return result;
}

}  // namespace heddle::storage
