// SPDX-License-Identifier: Apache-2.0
#include "app/cli/documents.h"

#include "app/cli/system_use.h"
#include "app/cli/terminal.h"
#include "app/reports/efficiency.h"
#include "app/study/planned_runs.h"
#include "engine/analysis/metric_summary.h"
#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/run/event_words.h"
#include "engine/run/run_state.h"
#include "engine/spec/schedules.h"
#include "storage/run_store.h"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <map>
#include <utility>

namespace heddle::app {

std::unique_ptr<storage::RunQuery> openDatabase(const Context& context) {
    if (!std::filesystem::exists(context.database))
        throwInvalid("no run database", context.database,
                     "choose one with --db FILE or HEDDLE_DB, or create one with heddle train");
    return storage::RunQuery::open(
        context.database, [&context](const auto& damage) { context.err << "damaged: " << printable(damage.text) << "\n"; });
}

namespace {

Json checkpointDocuments(storage::RunQuery& query, const std::string& run, const std::filesystem::path& artifacts) {
    Json documents = Json::array();
    for (const auto& c : query.checkpoints(run))
        documents.push_back({{"kind", c.kind},
                             {"step", c.step},
                             {"path", (artifacts / c.folder).string()},
                             {"weights_sha256", c.weightsSha256},
                             {"bytes", c.bytes},
                             {"damaged", c.damaged}});
    return documents;
}

Json evaluationDocuments(storage::RunQuery& query, const std::string& run) {
    Json documents = Json::array();
    for (const auto& e : query.evaluations(run))
        documents.push_back({{"step", e.step},
                             {"epoch", e.epoch},
                             {"split", e.split},
                             {"metric", e.metric},
                             {"value", e.damaged ? Json() : Json(e.value)},
                             {"n", e.n},
                             {"signature", e.signature},
                             {"damaged", e.damaged}});
    return documents;
}

Json attemptDocuments(storage::RunQuery& query, const std::string& run) {
    Json documents = Json::array();
    for (const auto& a : query.attempts(run)) {
        const Json context = Json::parse(a.context, nullptr, false);
        documents.push_back({{"attempt", a.attempt},
                             {"first_step", a.firstStep},
                             {"seconds", a.seconds},
                             {"device", a.device},
                             {"host", a.host},
                             {"program", a.program},
                             {"torch", a.torch},
                             {"threads", a.threads},
                             {"peak_bytes", a.peakBytes},
                             {"replay", a.replay},
                             {"replayed_steps", a.replayedSteps},
                             {"damaged", a.damaged},
                             {"context", context.is_discarded() ? Json() : context}});
    }
    return documents;
}

Json noteDocuments(storage::RunQuery& query, const std::string& run) {
    Json documents = Json::array();
    for (const RunNote& note : notesOf(query.events(run)))
        documents.push_back({{"at", note.at}, {"step", note.step}, {"text", note.text}});
    return documents;
}

}  // namespace

Json runDocument(storage::RunQuery& query, const storage::RunRecord& run, const std::string& database) {
    const std::string file = std::filesystem::absolute(database).lexically_normal().string();
    const Json spec = Json::parse(run.spec, nullptr, false);
    Json document{{"schema", "heddle.run/1"},
                  {"run", run.id},
                  {"name", run.name},
                  {"state", shownState(run, file)},
                  {"reason", run.reason},
                  {"database", file},
                  {"variant_hash", run.variantHash},
                  {"run_hash", run.runHash},
                  {"spec", spec.is_discarded() ? Json() : spec},
                  {"seed", run.seed},
                  {"parent", run.lineage.empty() ? Json() : Json(run.lineage)},
                  {"steps", run.step},
                  {"total_steps", run.totalSteps},
                  {"epochs", run.epoch},
                  {"parameters", run.parameters},
                  {"tags", run.tags},
                  {"trashed", run.trashed > 0},
                  {"intervened", run.intervened < 0 ? Json() : Json(run.intervened)},
                  {"extended", extensionsIn(run.spec)},
                  {"attempts", attemptDocuments(query, run.id)},
                  {"checkpoints", checkpointDocuments(query, run.id, storage::artifactFolder(file))},
                  {"evaluations", evaluationDocuments(query, run.id)},
                  {"warnings", warningsOf(query, run.id)},
                  {"notes", noteDocuments(query, run.id)},
                  {"system", systemDocument(systemUseOf(query, run.id))},
                  {"damaged", run.damaged}};
    document.update(efficiencyDocument(efficiencyOf(query, run)));
    return document;
}

bool isOfTheWholeRun(const storage::EventRecord& event) {
    return event.kind == "warning" && !event.damaged && concernsData(event.data);
}

std::vector<std::string> warningsOf(storage::RunQuery& query, const std::string& run) {
    std::vector<std::string> warnings;
    for (const auto& event : query.events(run))
        if (isOfTheWholeRun(event) && !contains(warnings, event.text)) warnings.push_back(event.text);
    return warnings;
}

std::string newestEvaluations(storage::RunQuery& query, const std::string& run, const std::string& split) {
    std::map<std::pair<int, std::string>, std::string> newest;
    for (const auto& e : query.evaluations(run))
        if (e.split == split && !isPart(e.metric)) newest[{metricRank(e.metric), e.metric}] = valueText(e);
    constexpr std::size_t kMost = 3;
    if (newest.size() > kMost) newest.erase(std::next(newest.begin(), kMost), newest.end());
    std::string text;
    for (const auto& [key, value] : newest) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key.second, value);
    return text;
}

std::string valueText(const storage::EvaluationRecord& evaluation) {
    return evaluation.damaged ? storage::kDamagedState : numberText(evaluation.value);
}

std::string metricsText(const std::string& column, const std::vector<EvaluationDone::Value>& values) {
    Table table({"metric", column, "n", "signature"});
    table.right({1, 2});
    for (const auto& value : values)
        if (!isPart(value.metric)) table.add({value.metric, numberText(value.value), countText(value.n), value.signature});
    return table.text();
}

std::string warningsText(const std::vector<std::string>& warnings) {
    std::string text;
    for (const std::string& warning : warnings) text += "warning: " + printable(warning) + "\n";
    return text;
}

Json probabilitiesDocument(const std::vector<std::string>& classes, const std::vector<float>& probabilities) {
    if (classes.empty() || classes.size() != probabilities.size()) return nullptr;
    Json all = Json::object();
    for (std::size_t i = 0; i < classes.size(); ++i) all[classes[i]] = probabilities[i];
    return all;
}

std::string titleOf(const storage::RunRecord& run) {
    return run.name.empty() ? run.id : fmt::format("{} ({})", printable(run.name), run.id);
}

}  // namespace heddle::app
