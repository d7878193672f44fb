// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/run_facts.h"

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

std::optional<Measured> RunFacts::measured(const std::string& metric) const {
    const auto found = metrics.find(metric);
    if (found == metrics.end()) return std::nullopt;
    return Measured{found->second.n, found->second.signature, splitContent(contents, metric.substr(0, metric.find('.')))};
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
    Json document;
    std::string key = run.spec;
    try {
        if (const auto foreign = foreignSpec(run.spec)) {
            key = foreign->settings().dump();
            return specs_[key] = {nullptr, leavesOf(Json::object()), leavesOf(foreign->settings()), {}};
        }
        document = parseJson(run.spec, "run " + run.id);
        document.erase("name");
        document.erase("seed");
        key = document.dump();
        if (!specs_.contains(key)) {
            auto spec = std::make_shared<const RunSpec>(RunSpec::parse(document, builtinCatalogue()));
            Json resolved = spec->resolvedJson();
            for (const char* label : {"name", "seed"}) resolved.erase(label);
            Json variant{{kVariant, resolved[kVariant]}};
            resolved.erase(kVariant);
            specs_[key] = {std::move(spec), leavesOf(variant), leavesOf(resolved), {}};
        }
    } catch (const std::exception& error) {  // of a newer program, or damaged: the run is listed without settings
        specs_[key] = {nullptr, nullptr, nullptr, QString::fromStdString(error.what())};
    }
    return specs_[key];
}

RunPointer FactsReader::factsOf(storage::RunQuery& query, const Run& record) {
    auto facts = std::make_shared<RunFacts>();
    facts->record = record;
    const auto old = runs_.find(record.ref);
    const bool isSame = old != runs_.end() && old->second->record.spec == record.spec;
    static_cast<SpecFacts&>(*facts) = isSame ? *old->second : specOf(record);
    if (facts->spec && !record.runHash.empty())
        if (const auto attempts = query.attempts(record.id); !attempts.empty())
            facts->contents = fileContents(*facts->spec, dataHashesIn(attempts.back().context));
    setMetrics(*facts, query.evaluations(record.id));
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
    std::size_t deleted = 0;
    for (const auto& run : query.deletedRuns(revision))
        deleted += waiting_.erase({source.database, run.id}) + runs_.erase({source.database, run.id});
    revision = now;
    if (readWaiting(query, source.database, limit) + deleted > 0 || !table_) {
        joinPlanned();
        table_ = tableNow();
    }
    return {table_, !isWaiting(source.database)};
}

bool FactsReader::isWaiting(int database) const {
    const auto next = waiting_.lower_bound({database, {}});
    return next != waiting_.end() && next->first.database == database;
}

/// Returns how many runs were read.
std::size_t FactsReader::readWaiting(storage::RunQuery& query, int database, std::size_t limit) {
    std::size_t read = 0;
    for (; read < limit && isWaiting(database); ++read) {
        const auto next = waiting_.lower_bound({database, {}});
        runs_.insert_or_assign(next->first, factsOf(query, next->second));
        waiting_.erase(next);
    }
    return read;
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
            ++whole;
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
