// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/run_facts.h"

#include "app/study/file_contents.h"
#include "engine/base/json.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/data_files.h"
#include "engine/spec/foreign_spec.h"
#include "storage/run_query.h"

#include <QStringList>

#include <algorithm>
#include <set>
#include <tuple>

namespace heddle::ui {
namespace {

const std::string kVariant = "variant";

void collect(const Json& value, const std::string& path, Leaves& leaves) {
    if (!value.is_object() || (value.empty() && !path.empty())) {
        leaves[path] = value;
        return;
    }
    for (const auto& [key, member] : value.items()) collect(member, path.empty() ? key : path + "." + key, leaves);
}

std::shared_ptr<const Leaves> leavesOf(const Json& document) {
    Leaves leaves;
    collect(document, "", leaves);
    return std::make_shared<const Leaves>(std::move(leaves));
}

QString searchTextOf(const storage::RunRecord& run) {
    QStringList words{QString::fromStdString(run.name),        QString::fromStdString(run.state),
                      QString::fromStdString(run.id),          QStringLiteral("s%1").arg(run.seed),
                      QString::fromStdString(run.variantHash), QString::fromStdString(run.spec)};
    for (const auto& tag : run.tags) words << QString::fromStdString(tag);
    return words.join(QLatin1Char('\n')).toLower();
}

void setMetrics(RunFacts& facts, const std::vector<storage::EvaluationRecord>& all) {
    std::map<std::string, std::vector<storage::EvaluationRecord>> byMetric;
    for (const auto& e : all) byMetric[e.split + "." + e.metric].push_back(e);
    for (const auto& [key, evaluations] : byMetric) {
        const bool isDamaged = std::any_of(evaluations.begin(), evaluations.end(), [](const auto& e) { return e.damaged; });
        if (isDamaged) continue;  // the best or the last might be another
        facts.metrics[key] = summariseMetric(evaluations);
        for (const auto& e : evaluations) facts.evaluations[key].push_back({e.step, e.value});
    }
}

/// `document`: without name and seed. Throws Error for one that is no spec.
SpecFacts factsOfSpec(const Json& document) {
    auto spec = std::make_shared<const RunSpec>(RunSpec::parse(document, builtinCatalogue()));
    Json resolved = spec->resolvedJson();
    for (const char* label : {"name", "seed"}) resolved.erase(label);
    const Json variant{{kVariant, resolved[kVariant]}};
    resolved.erase(kVariant);
    return {std::move(spec), leavesOf(variant), leavesOf(resolved), {}};
}

}  // namespace

const Json* RunFacts::setting(const std::string& path) const {
    for (const auto* leaves : {settings.get(), variant.get()}) {
        if (!leaves) continue;
        if (const auto found = leaves->find(path); found != leaves->end()) return &found->second;
    }
    return nullptr;
}

Json RunFacts::settingsDocument() const {
    Json flat = Json::object();
    for (const auto* leaves : {settings.get(), variant.get()})
        if (leaves)
            for (const auto& [path, value] : *leaves) flat[path] = value;
    return flat;
}

const Measured* RunFacts::measured(const std::string& metric) const {
    const auto found = measuredBy.find(metric);
    return found == measuredBy.end() ? nullptr : &found->second;
}

void RunFacts::setMeasured() {
    measuredBy.clear();
    for (const auto& [key, metric] : metrics)
        measuredBy[key] = {metric.n, metric.signature, splitContent(contents, key.substr(0, key.find('.')))};
}

std::vector<RunRef> newestAndBaseline(const RunTable& table, const std::string& pinned) {
    std::string newest, baseline;
    for (const bool hasTrained : {true, false})
        for (std::size_t i = table.runs.size(); i-- > 0;) {
            const Run& run = table.runs[i]->record;
            const std::string& group = run.groupKey;
            if ((run.step > 0) != hasTrained) continue;
            if (newest.empty()) newest = group;
            if (group != newest && (baseline.empty() || group == pinned)) baseline = group;
        }
    std::vector<RunRef> runs;
    for (const auto& run : table.runs)
        if (run->record.groupKey == newest || run->record.groupKey == baseline) runs.push_back(run->record.ref);
    return runs;
}

const SpecFacts& FactsReader::specOf(const storage::RunRecord& run) {
    std::string key = run.spec;
    try {
        const auto foreign = foreignSpec(run.spec);
        Json document = foreign ? foreign->settings() : parseJson(run.spec, "run " + run.id);
        if (!foreign)
            for (const char* label : {"name", "seed"}) document.erase(label);
        key = (foreign && foreign->paired ? "paired " : "") + document.dump();
        const auto [place, isNew] = specs_.try_emplace(key);
        if (isNew && foreign)
            place->second = {nullptr, leavesOf(Json::object()), leavesOf(document), {}, foreign->paired};
        else if (isNew)
            place->second = factsOfSpec(document);
        return place->second;
    } catch (const std::exception& error) {  // of a newer program, or damaged: the run is listed without settings
        return specs_[key] = {nullptr, nullptr, nullptr, QString::fromStdString(error.what())};
    }
}

RunPointer FactsReader::factsOf(storage::RunQuery& query, const Run& record) {
    auto facts = std::make_shared<RunFacts>();
    facts->record = record;
    const auto old = runs_.find(record.ref);
    const bool isSame = old != runs_.end() && old->second->record.spec == record.spec;
    static_cast<SpecFacts&>(*facts) = isSame ? *old->second : specOf(record);
    if (facts->spec && !record.runHash.empty())
        facts->contents = fileContents(*facts->spec, app::recordedDataHashes(query, record.id));
    setMetrics(*facts, query.evaluations(record.id));
    facts->setMeasured();
    facts->searchText = searchTextOf(record);
    return facts;
}

FactsReader::Answer FactsReader::read(storage::RunQuery& query, const Source& source, std::size_t limit) {
    std::int64_t& revision = revisions_[source.database];
    const std::int64_t now = query.revision();  // first: a commit in between is read twice, never missed
    for (auto& record : query.runs(revision)) {
        Run run(std::move(record), source.database);
        run.origin = source.origin;
        setGroup(run, query);
        waiting_.insert_or_assign(run.ref, std::move(run));
    }
    for (const auto& run : query.deletedRuns(revision))
        unlisted_ += waiting_.erase({source.database, run.id}) + runs_.erase({source.database, run.id});
    revision = now;
    readWaiting(query, source.database, limit);
    const bool isWhole = !isWaiting(source.database);
    // A table takes time in the number of all its runs: one for each portion would take the square of it.
    const std::size_t listed = table_ ? table_->runs.size() + table_->deleted.size() : 0;
    if (!table_ || (unlisted_ > 0 && (isWhole || unlisted_ >= listed))) {
        joinPlanned();
        table_ = tableNow();
        unlisted_ = 0;
    }
    return {table_, isWhole};
}

bool FactsReader::isWaiting(int database) const {
    const auto next = waiting_.lower_bound({database, {}});
    return next != waiting_.end() && next->first.database == database;
}

void FactsReader::readWaiting(storage::RunQuery& query, int database, std::size_t limit) {
    for (std::size_t read = 0; read < limit && isWaiting(database); ++read, ++unlisted_) {
        const auto next = waiting_.lower_bound({database, {}});
        runs_.insert_or_assign(next->first, factsOf(query, next->second));
        waiting_.erase(next);
    }
}

/// Adds queued seeds to the groups of those of their database that have started.
void FactsReader::joinPlanned() {
    std::map<int, PlannedGroups> groups;
    for (const auto& [ref, facts] : runs_)
        if (const Run& run = facts->record; !run.runHash.empty() && run.trashed <= 0)
            groups[ref.database].add(run.plannedKey, run.groupKey, run.created);
    for (auto& [ref, facts] : runs_) {
        const Run& run = facts->record;
        const std::string group = run.runHash.empty() ? groups[ref.database].of(run.plannedKey) : run.groupKey;
        if (group == run.groupKey) continue;
        auto joined = std::make_shared<RunFacts>(*facts);
        joined->record.groupKey = group;
        facts = std::move(joined);
    }
}

std::shared_ptr<const RunTable> FactsReader::tableNow() {
    auto table = std::make_shared<RunTable>();
    std::set<std::string> metrics;
    for (const auto& [ref, facts] : runs_) {
        if (facts->record.trashed > 0) {
            table->deleted.push_back(facts);
            continue;
        }
        table->runs.push_back(facts);
        for (const auto& [key, metric] : facts->metrics) metrics.insert(key);
    }
    for (auto* runs : {&table->runs, &table->deleted})
        std::sort(runs->begin(), runs->end(), [](const auto& a, const auto& b) {
            return std::tie(a->record.created, a->record.id, a->record.ref) <
                   std::tie(b->record.created, b->record.id, b->record.ref);
        });
    if (pathsOf_ != specs_.size() && (waiting_.empty() || paths_.empty())) {
        std::map<std::string, std::set<std::string>> values;
        std::size_t whole = 0;
        std::map<std::string, std::size_t> holders;
        for (const auto& [key, spec] : specs_) {
            if (!spec.variant) continue;
            whole += spec.spec != nullptr;  // another program's run has none of the settings of ours
            for (const auto* leaves : {spec.settings.get(), spec.variant.get()})
                for (const auto& [path, value] : *leaves) {
                    values[path].insert(value.dump());
                    ++holders[path];
                }
        }
        paths_.clear();
        varying_.clear();
        for (const auto& [path, different] : values) {
            paths_.push_back(path);
            if (different.size() > 1 || holders[path] < whole) varying_.push_back(path);
        }
        pathsOf_ = specs_.size();
    }
    table->paths = paths_;
    table->varying = varying_;
    table->metrics.assign(metrics.begin(), metrics.end());
    std::size_t unread = 0;
    for (const auto& [ref, record] : waiting_) unread += record.trashed > 0 || runs_.count(ref) ? 0 : 1;
    table->total = std::int64_t(table->runs.size() + unread);
    return table;
}

}  // namespace heddle::ui
