// SPDX-License-Identifier: Apache-2.0
#include "app/foreign/foreign_import.h"

#include "engine/base/error.h"
#include "engine/base/printable.h"
#include "engine/base/text_limits.h"
#include "storage/file_system.h"
#include "storage/run_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

namespace heddle::app {
namespace {

/// The seeds of the database's imported runs, by ForeignSpec::groupKey().
using KnownSeeds = std::map<std::string, std::set<std::uint64_t>>;

/// Throws Error(Usage) where runs of the file are in the database already.
KnownSeeds knownSeeds(storage::RunQuery& query, const ForeignImport& import) {
    KnownSeeds known;
    std::vector<std::string> same;
    std::size_t trashed = 0;
    for (const storage::RunRecord& run : query.runs()) {
        const auto spec = run.damaged ? std::nullopt : foreignSpec(run.spec);
        if (!spec) continue;
        if (spec->sha256 == import.sha256) {
            same.push_back(run.id);
            if (run.trashed > 0) ++trashed;
        }
        known[spec->groupKey()].insert(run.seed);
    }
    if (same.empty()) return known;
    throwUsage(fmt::format("already imported: {} of its runs are in the database{}", same.size(),
                           trashed > 0 ? fmt::format(", {} of them in its trash", trashed) : ""),
               import.path, fmt::format("to import it again, delete them first: heddle runs delete {}", listedNames(same)));
}

/// A seed that is not among `seeds`, for a run whose own is not known: seeds tell the runs of a group apart. It is above every
/// seed that a file can name (2^53), so that no run of a later file has it.
std::uint64_t freeSeed(const std::set<std::uint64_t>& seeds) {
    constexpr std::uint64_t kFirst = kLargestNamedSeed + 1;
    return seeds.empty() ? kFirst : std::max(kFirst, *seeds.rbegin() + 1);
}

/// The seeds that the runs get beside those of a database, and their groups.
struct Places {
    std::vector<std::uint64_t> seeds;
    std::vector<ForeignGroup> groups;
};

Places placesOf(const ForeignImport& import, KnownSeeds known) {
    Places places;
    std::map<std::string, std::size_t> numbers;
    for (std::size_t i = 0; i < import.specs.size(); ++i) {
        const ForeignSpec& spec = import.specs[i];
        const std::string& key = import.groupKeys[i];
        const auto [number, isNew] = numbers.try_emplace(key, places.groups.size());
        if (isNew) places.groups.push_back({key, spec.group, 0, {}});
        std::set<std::uint64_t>& taken = known[key];
        const std::uint64_t seed = spec.seed ? *spec.seed : freeSeed(taken);
        taken.insert(seed);
        ForeignGroup& group = places.groups[number->second];
        ++group.runs;
        group.seeds.insert(seed);
        places.seeds.push_back(seed);
    }
    return places;
}

void addCurve(storage::RunStore& store, const std::string& run, const ForeignMetric& metric, const ForeignCurve& curve) {
    for (std::size_t from = 0; from < curve.size();) {
        const std::int64_t stride = from + 1 < curve.size() ? curve[from + 1].first - curve[from].first : 1;
        storage::SeriesAppend part{run, 1, metric.metric, metric.path, curve[from].first, stride, {}, false};
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
    record.intervened = run.intervened;
    record.tags = {storage::kForeignTag};
    store.addRun(record);
    for (const auto& [metric, curve] : run.series) addCurve(store, record.id, metric, curve);
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

void requireSeeds(const ForeignRuns& runs) {
    const auto seedless = std::find_if(runs.runs.begin(), runs.runs.end(), [](const ForeignRun& run) { return !run.seed; });
    if (seedless != runs.runs.end())
        throwUsage(fmt::format("run {} has no seed, and pairs are runs of equal seeds", printable(seedless->key)), "--paired",
                   "give the column of seeds with --seed COLUMN, or remove --paired");
}

}  // namespace

bool isForeignFile(const std::string& file) { return storage::inspect(storage::realFile(file)) == storage::FileKind::Other; }

ForeignImport understood(const ForeignTable& table, const ForeignOptions& options) {
    ForeignImport import{table.path, table.format, table.sha256, foreignRuns(table, options), {}, {}, {}};
    if (options.paired) requireSeeds(import.found);
    for (const ForeignRun& run : import.found.runs) {
        ForeignSpec spec = specOf(table, options, run);
        std::string text = canonicalJson(spec.toJson());
        if (text.size() > kMaxSpecBytes)
            throwInvalid(fmt::format("the settings of the run are larger than {} MiB", kMaxSpecBytes >> 20),
                         fmt::format("{}, run {}", table.path, printableExcerpt(run.key, 40)),
                         "ignore long ones with --ignore COLUMN");
        import.groupKeys.push_back(spec.groupKey());
        import.specs.push_back(std::move(spec));
        import.documents.push_back(std::move(text));
    }
    return import;
}

std::vector<ForeignGroup> groupsOf(const ForeignImport& import) { return placesOf(import, {}).groups; }

ImportedRuns importForeign(const ForeignImport& import, storage::RunStore& store) {
    Places places = placesOf(import, knownSeeds(*storage::RunQuery::open(store.file()), import));
    ImportedRuns imported{{}, std::move(places.groups)};
    for (std::size_t i = 0; i < import.specs.size(); ++i) {
        storage::RunRecord record;
        record.id = storage::newRunId();
        record.reason = "imported from " + import.specs[i].file;
        record.spec = import.documents[i];
        record.variantHash = record.runHash = import.groupKeys[i];  // the real ones cannot be known
        record.group = import.specs[i].group;
        record.seed = places.seeds[i];
        imported.ids.push_back(record.id);
        addRun(store, import.found, import.found.runs[i], std::move(record));
    }
    return imported;
}

}  // namespace heddle::app
