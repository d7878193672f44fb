// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/documents.h"
#include "app/foreign/export_runs.h"
#include "app/session/requests/transfer.h"
#include "app/session/runs/find_run.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/base/suggestion.h"
#include "engine/run/run_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

namespace heddle::app {
namespace {

constexpr const char* kDatabaseFormat = "heddle";

struct RunsExportOptions {
    std::string destination, format = kDatabaseFormat, metric = "valid:loss", value = "last";
    std::vector<std::string> runs;
};

std::vector<std::string> formatNames() {
    std::vector<std::string> names{kDatabaseFormat};
    for (const auto& info : exportFormats()) names.emplace_back(info.name);
    return names;
}

ExportFormat formatOf(const std::string& name) {
    for (const auto& info : exportFormats())
        if (info.name == name) return info.format;
    throwUsage("unknown format \"" + name + "\"", "--format", suggestion(name, formatNames()));
}

/// The runs that the user names, also those in the trash. If the user names none: all that have ended and are not in the trash.
std::vector<std::string> exportedIds(storage::RunQuery& query, const std::vector<std::string>& texts) {
    std::vector<std::string> ids;
    const auto add = [&](const std::string& id) {
        if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
    };
    for (const std::string& text : texts) add(findRun(query, text).id);
    if (!texts.empty()) return ids;
    for (const auto& run : query.runs()) {
        const auto state = runStateFromName(run.state);
        if (run.trashed == 0 && (run.damaged || (state && isFinal(*state)))) add(run.id);
    }
    return ids;
}

int exportDatabase(const RunsExportOptions& options, const Context& context) {
    const std::string ending = std::filesystem::path(options.destination).extension().string();
    for (const char* other : {".csv", ".jsonl"})  // typed by those who mean --format
        if (ending == other)
            throwUsage("a run database does not end in " + ending, options.destination,
                       fmt::format("add --format {}, or end the name in .heddle", ending.substr(1)));
    const auto ids = copyRuns(context.database, options.destination, options.runs);
    context.print({{"schema", "heddle.exported/1"}, {"runs", ids}}, doneText("exported", ids));
    return 0;
}

int exportFiles(const RunsExportOptions& options, const Context& context) {
    RunExport wanted;
    wanted.format = formatOf(options.format);
    wanted.destination = options.destination;
    wanted.metric = exportedMetric(options.metric, options.value);
    const auto query = openDatabase(context);
    wanted.runs = exportedIds(*query, options.runs);
    for (const std::string& note : exportRuns(*query, wanted)) context.err << "note: " << printable(note) << "\n";
    context.print({{"schema", "heddle.exported/1"},
                   {"runs", wanted.runs},
                   {"format", options.format},
                   {"destination", std::filesystem::absolute(options.destination).string()}},
                  doneText("exported", wanted.runs));
    return 0;
}

}  // namespace

void addRunsExport(CommandBuilder& runs) {
    auto o = std::make_shared<RunsExportOptions>();
    runs.command("export", "Copy runs into another database, or write them for other programs (help/export.md)")
        .positional(
            "DESTINATION", o->destination,
            "The other run database, created if missing; with --format a new file or folder, which must not be there yet")
        .positionals("RUN", o->runs, "Ids, unique prefixes or unique names (default: all that have ended)",
                     CommandBuilder::Need::Optional)
        .option("--format", o->format, "FORMAT",
                "heddle: a run database with checkpoints (default); csv: a folder of two tables; jsonl: a file of JSON lines;"
                " tensorboard: a folder of event files; optuna: a study in an SQLite file")
        .option("--metric", o->metric, "SPLIT:METRIC", "The value of Optuna's trials (default: valid:loss)")
        .option("--value", o->value, "RULE", "Which of its evaluations counts: last (default), best, step 4000, mean of last 3")
        .examples(
            "heddle runs export for-a-colleague.heddle 3f2a\n"
            "heddle runs export tables --format csv\n"
            "heddle runs export runs.jsonl --format jsonl base full\n"
            "heddle runs export board --format tensorboard\n"
            "heddle runs export study.db --format optuna --metric valid:accuracy --value best")
        .action([o](Context& context) {
            return o->format == kDatabaseFormat ? exportDatabase(*o, context) : exportFiles(*o, context);
        });
}

}  // namespace heddle::app
