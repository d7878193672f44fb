// SPDX-License-Identifier: Apache-2.0
#include "app/foreign/exported_run.h"

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/run/run_notes.h"
#include "engine/spec/foreign_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace heddle::app {
namespace {

void addSettings(Settings& settings, const Json& object, const std::string& prefix) {
    for (const auto& [key, value] : object.items()) {
        if (value.is_object() && !value.empty())
            addSettings(settings, value, prefix + key + ".");
        else if (!value.is_null())
            settings[prefix + key] = value.is_structured() ? Json(dumped(value)) : value;
    }
}

}  // namespace

Settings settingsOf(const Json& spec) {
    Settings settings;
    if (!spec.is_object()) return settings;
    if (const auto foreign = foreignSpec(spec)) {
        addSettings(settings, foreign->config, "");
        return settings;
    }
    addSettings(settings, spec, "");
    for (const char* own : {"schema", "name", "seed"}) settings.erase(own);
    return settings;
}

ExportedRun exportedRun(storage::RunQuery& query, const std::string& run) {
    auto record = query.run(run);
    if (!record) throwUsage("the run is no longer in the database", run, "name a run that is there");
    ExportedRun exported{std::move(*record), {}, {}, query.attempts(run)};
    exported.spec = exported.record.damaged ? Json() : Json::parse(exported.record.spec, nullptr, false);
    if (exported.spec.is_discarded()) exported.spec = Json();
    std::erase_if(exported.attempts, [](const auto& attempt) { return attempt.damaged; });
    for (RunNote& note : notesOf(query.events(run))) exported.notes.push_back(std::move(note.text));
    return exported;
}

std::vector<std::string> damagesOf(storage::RunQuery& query, const storage::RunRecord& run) {
    std::vector<std::string> damages;
    if (run.damaged) damages.emplace_back("its record is damaged");
    for (const auto& damage : query.damages())
        if (damage.run == run.id) damages.push_back(damage.text);
    return damages;
}

std::string interventionText(const storage::RunRecord& run) {
    return fmt::format("interventions changed its training after step {}, and it is not comparable from there on",
                       run.intervened);
}

Json documentOf(const ExportedRun& run) {
    const storage::RunRecord& r = run.record;
    const auto foreign = foreignSpec(run.spec);
    Json document{{"schema", kExportSchema},
                  {"kind", "run"},
                  {"run", r.id},
                  {"name", r.name},
                  {"state", r.state},
                  {"reason", r.reason},
                  {"variant_hash", r.variantHash},
                  {"run_hash", r.runHash},
                  {"group", r.group},
                  {"lineage", r.lineage},
                  {"tags", r.tags},
                  {"notes", run.notes},
                  {"created", r.created},
                  {"seconds", r.seconds},
                  {"attempts", r.attempts},
                  {"step", r.step},
                  {"epoch", r.epoch},
                  {"parameters", r.parameters},
                  {"intervened", r.intervened >= 0 ? Json(r.intervened) : Json()},
                  {"in_trash", r.trashed > 0},
                  {"damaged", r.damaged},
                  {"spec", run.spec}};
    if (!r.damaged && !(foreign && !foreign->seed)) document["seed"] = r.seed;
    return document;
}

std::vector<storage::EvaluationRecord> wholeEvaluations(storage::RunQuery& query, const std::string& run) {
    auto evaluations = query.evaluations(run);
    std::erase_if(evaluations, [](const auto& evaluation) { return evaluation.damaged; });
    return evaluations;
}

}  // namespace heddle::app
