// SPDX-License-Identifier: Apache-2.0
#include "app/cli/import_runs.h"

#include "app/cli/terminal.h"
#include "app/session/recorder/ownership.h"
#include "app/session/runs/find_run.h"
#include "engine/base/error.h"
#include "engine/base/printable.h"
#include "engine/base/text_limits.h"
#include "engine/spec/foreign_spec.h"
#include "storage/file_system.h"
#include "storage/run_query.h"
#include "storage/run_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace heddle::app {
namespace {

struct Group {
    std::string name;
    std::size_t runs = 0;
    std::set<std::uint64_t> seeds;
};

/// The groups of the database's imported runs, by ForeignSpec::groupKey().
using Groups = std::map<std::string, Group>;

/// Those of a file, in its order.
using FileGroups = std::vector<std::pair<std::string, Group>>;

/// Throws Error(Usage) where runs of the file are in the database already.
Groups knownGroups(storage::RunQuery& query, const ForeignTable& table) {
    Groups groups;
    std::vector<std::string> same;
    for (const storage::RunRecord& run : query.runs()) {
        const auto spec = run.damaged ? std::nullopt : foreignSpec(run.spec);
        if (!spec) continue;
        if (spec->sha256 == table.sha256) same.push_back(run.id);
        groups[spec->groupKey()].seeds.insert(run.seed);
    }
    if (same.empty()) return groups;
    throwUsage(fmt::format("was imported before: {} of its runs are in the database", same.size()), table.path,
               fmt::format("to import it anew, delete them first: heddle runs delete {}", listedNames(same)));
}

/// A seed that no run of the group has, for a run whose own is not known: seeds tell the runs of a group apart. It is above
/// every seed that a file can name (2^53), so that no run of a later file has it.
std::uint64_t freeSeed(const Group& group) {
    constexpr std::uint64_t kFirst = (std::uint64_t{1} << 53) + 1;
    return group.seeds.empty() ? kFirst : std::max(kFirst, *group.seeds.rbegin() + 1);
}

void addCurve(storage::RunStore& store, const std::string& run, const std::string& name, const ForeignCurve& curve) {
    for (std::size_t from = 0; from < curve.size();) {
        const std::int64_t stride = from + 1 < curve.size() ? curve[from + 1].first - curve[from].first : 1;
        storage::SeriesAppend part{run, 1, name, "", curve[from].first, stride, {}, false};
        std::int64_t step = curve[from].first;
        for (; from < curve.size() && curve[from].first == step; ++from, step += stride)
            part.values.push_back(static_cast<float>(curve[from].second));
        if (part.values.size() == 1) part.stride = 1;
        store.append(part);
    }
}

void addRun(storage::RunStore& store, const ForeignRuns& all, const ForeignRun& run, storage::RunRecord record) {
    record.name = run.name;
    record.state = run.state;
    record.created = run.created > 0 ? run.created : storage::unixTime();
    record.step = record.totalSteps = run.lastStep;
    record.seconds = run.seconds;
    record.tags = {storage::kForeignTag};
    store.addRun(record);
    for (const auto& [name, curve] : run.series) addCurve(store, record.id, name, curve);
    for (const auto& [metric, curve] : run.metrics)
        for (const auto& [step, value] : curve)
            store.add(storage::EvaluationRecord{record.id, 1, step, 0, metric.split, metric.metric,
                                                "foreign: " + all.columns.at(metric), value, 0, 0, false});
}

ForeignSpec specOf(const ForeignTable& table, const ForeignOptions& options, const ForeignRun& run) {
    const std::filesystem::path path = std::filesystem::absolute(table.path).lexically_normal();
    const std::string file = (path.has_filename() ? path : path.parent_path()).filename().string();
    return {run.name, run.seed, run.group, options.paired, run.config, file, table.format, table.sha256, run.key};
}

/// A run's spec as the database has it.
struct StoredSpec {
    ForeignSpec spec;
    std::string text;
};

/// Those of the runs, in their order. Throws Error(InvalidInput) where the database could not be asked for one again.
std::vector<StoredSpec> storedSpecs(const ForeignTable& table, const ForeignRuns& runs, const ForeignOptions& options) {
    std::vector<StoredSpec> all;
    for (const ForeignRun& run : runs.runs) {
        ForeignSpec spec = specOf(table, options, run);
        std::string text = canonicalJson(spec.toJson());
        if (text.size() > kMaxSpecBytes)
            throwInvalid(fmt::format("the run's settings take more than {} MiB", kMaxSpecBytes >> 20),
                         fmt::format("{}, run {}", table.path, printableExcerpt(run.key, 40)),
                         "leave long ones out: --ignore COLUMN");
        all.push_back({std::move(spec), std::move(text)});
    }
    return all;
}

void requireSeeds(const ForeignRuns& runs, const ForeignOptions& options) {
    if (!options.paired) return;
    const auto seedless = std::find_if(runs.runs.begin(), runs.runs.end(), [](const ForeignRun& run) { return !run.seed; });
    if (seedless != runs.runs.end())
        throwUsage(fmt::format("run {} has no seed, and pairs are runs of equal seeds", printable(seedless->key)), "--paired",
                   "name the column of seeds: --seed COLUMN, or leave --paired out");
}

/// Adds all runs in one transaction. Returns their ids; `imported` becomes the groups that they are of.
std::vector<std::string> store(const ForeignTable& table, const ForeignRuns& runs, const std::vector<StoredSpec>& specs,
                               const std::string& database, FileGroups& imported) {
    const auto store = openAsOwner(database, {"heddle runs import", 0});
    Groups groups = knownGroups(*storage::RunQuery::open(database), table);
    std::vector<std::string> ids;
    std::map<std::string, std::size_t> places;
    store->begin();
    for (std::size_t i = 0; i < runs.runs.size(); ++i) {
        const ForeignRun& run = runs.runs[i];
        const ForeignSpec& spec = specs[i].spec;
        const std::string key = spec.groupKey();
        Group& group = groups[key];
        storage::RunRecord record;
        record.id = newRunId();
        record.reason = "imported from " + spec.file;
        record.spec = specs[i].text;
        record.variantHash = record.runHash = key;  // the real ones cannot be known
        record.group = spec.group;
        record.seed = run.seed ? *run.seed : freeSeed(group);
        group.seeds.insert(record.seed);
        const std::size_t place = places.try_emplace(key, places.size()).first->second;
        if (place == imported.size()) imported.push_back({key, {}});
        Group& counted = imported[place].second;
        counted.name = spec.group.empty() ? "not declared" : spec.group;
        ++counted.runs;
        counted.seeds.insert(record.seed);
        ids.push_back(record.id);
        addRun(*store, runs, run, std::move(record));
    }
    store->commit(storage::RunStore::Durability::Full);
    return ids;
}

Json documentOf(const ForeignTable& table, const ForeignRuns& runs, const std::vector<std::string>& ids,
                const FileGroups& groups) {
    Json columns = Json::object(), all = Json::array();
    for (const ForeignRole& role : runs.roles) columns[role.column] = role.role;
    for (const auto& [key, group] : groups)
        all.push_back({{"group", key}, {"name", group.name}, {"runs", group.runs}, {"seeds", group.seeds}});
    return {{"schema", "heddle.imported/1"},
            {"runs", ids},
            {"format", table.format},
            {"sha256", table.sha256},
            {"columns", columns},
            {"groups", all},
            {"notes", runs.notes}};
}

std::string textOf(const ForeignTable& table, const ForeignRuns& runs, const FileGroups& groups) {
    Table columns({"column", "is"}), found({"group", "runs", "seeds"});
    for (const ForeignRole& role : runs.roles) columns.add({printable(role.column), printable(role.role)});
    for (const auto& [key, group] : groups)
        found.add({cut(printable(group.name), 60), std::to_string(group.runs), std::to_string(group.seeds.size())});
    std::string text = fmt::format("imported {} run{} of {} ({})\n", runs.runs.size(), runs.runs.size() == 1 ? "" : "s",
                                   printable(table.path), table.format);
    text += columns.text() + found.right({1, 2}).text();
    for (const std::string& note : runs.notes) text += printable(note) + "\n";
    return text;
}

}  // namespace

bool isForeignFile(const std::string& file) { return storage::inspect(storage::realFile(file)) == storage::FileKind::Other; }

int importForeign(const std::string& file, const ForeignOptions& options, const Context& context) {
    const ForeignTable table = readForeign(file);
    const ForeignRuns runs = foreignRuns(table, options);
    requireSeeds(runs, options);
    const std::vector<StoredSpec> specs = storedSpecs(table, runs, options);
    FileGroups groups;
    const auto ids = store(table, runs, specs, context.database, groups);
    context.print(documentOf(table, runs, ids, groups), textOf(table, runs, groups));
    return 0;
}

}  // namespace heddle::app
