// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/documents.h"
#include "app/cli/edit_row.h"
#include "app/cli/follow.h"
#include "app/cli/import_runs.h"
#include "app/foreign/foreign_import.h"
#include "app/session/requests/ask_owner.h"
#include "app/session/requests/transfer.h"
#include "app/session/runs/find_run.h"
#include "app/session/runs/queue.h"
#include "app/study/planned_runs.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/spec/foreign_spec.h"
#include "engine/spec/schedules.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace heddle::app {
namespace {

enum class Listed { Kept, All };

int list(Listed which, const Context& context) {
    const auto query = openDatabase(context);
    auto runs = query->runs();
    if (which == Listed::Kept) std::erase_if(runs, [](const auto& run) { return run.trashed > 0; });
    if (context.json) {
        Json all = Json::array();
        for (const auto& run : runs) all.push_back(runDocument(*query, run, context.database));
        context.print({{"schema", "heddle.runs/1"}, {"runs", all}});
        return 0;
    }
    Table table({"run", "name", "state", "steps", "epochs", "time", "seed", "valid"});
    for (const auto& run : runs) {
        if (run.damaged) {
            table.add({run.id, cut(printable(run.name), 24), run.state, "–", "–", "–", "–", ""});
            continue;
        }
        const auto foreign = foreignSpec(run.spec);
        table.add({run.id, cut(printable(run.name), 24),
                   shownState(run, context.database) + (extensionsIn(run.spec).empty() ? "" : ", extended") +
                       (foreign ? ", foreign" : "") + (run.trashed > 0 ? ", in the trash" : ""),
                   std::to_string(run.step), std::to_string(run.epoch), durationText(run.seconds),
                   foreign && !foreign->seed ? "–" : std::to_string(run.seed), newestEvaluations(*query, run.id, "valid")});
    }
    context.out << table.right({3, 4, 5, 6}).text();
    return 0;
}

int showRun(const std::string& text, const Context& context) {
    printRun(context, findRun(*openDatabase(context), text).id);
    return 0;
}

/// Says what was done to which runs. With --json prints only ids, since nothing else is left of deleted runs.
void printDone(const std::string& done, const std::vector<std::string>& runs, const Context& context) {
    context.print({{"schema", "heddle." + done + "/1"}, {"runs", runs}}, doneText(done, runs));
}

/// An edit of several runs, and the word for the report: "deleted".
struct Editing {
    Edit (*of)(const std::string& run);
    std::string done;
};

template <class T>
Edit editOf(const std::string& run) {
    return T{run};
}

int editAll(const std::vector<std::string>& texts, const Editing& editing, const Context& context) {
    std::vector<std::string> ids;
    {
        const auto query = openDatabase(context);
        for (const auto& text : texts) ids.push_back(findRun(*query, text).id);  // resolve all names before changing anything
    }
    std::vector<std::string> done;
    for (const auto& id : ids)
        if (editRow(context, editing.of(id))) done.push_back(id);
    printDone(editing.done, done, context);
    return 0;
}

struct EditCommand {
    Editing editing;
    std::string summary, example;
};

void addEdit(CommandBuilder& runs, const EditCommand& command) {
    auto chosen = std::make_shared<std::vector<std::string>>();
    runs.command(verbOf(command.editing.of("")), command.summary)
        .positionals("RUN", *chosen, "Ids, unique prefixes or unique names")
        .examples(command.example)
        .action([chosen, editing = command.editing](Context& context) { return editAll(*chosen, editing, context); });
}

struct TagOptions {
    std::string run;
    std::vector<std::string> add, remove;
};

int tag(const TagOptions& options, const Context& context) {
    const auto run = findRun(*openDatabase(context), options.run);
    // Also sends values that the row already has, because another process may be about to change them.
    if (!options.add.empty() || !options.remove.empty()) editRow(context, TagRun{run.id, options.add, options.remove});
    if (context.json)
        printRun(context, run.id);
    else
        context.out << printable(fmt::format("{}", fmt::join(findRun(*openDatabase(context), run.id).tags, " "))) << "\n";
    return 0;
}

struct MoveOptions {
    std::string run, before;
    bool first = false, last = false;
};

std::int64_t placeOf(const storage::RunRecord& run, const std::vector<storage::RunRecord>& queue) {
    const auto found = std::find_if(queue.begin(), queue.end(), [&](const auto& waiting) { return waiting.id == run.id; });
    if (found == queue.end())
        throw Error(ErrorCode::Usage, fmt::format("the run is {} and not in the queue", run.state), run.id,
                    "only waiting runs can be moved");
    return found - queue.begin();
}

int move(const MoveOptions& options, const Context& context) {
    if (options.first + options.last + !options.before.empty() != 1)
        throw Error(ErrorCode::Usage, "no new position given", "heddle runs move",
                    "use one of --first, --last and --before RUN");
    const auto query = openDatabase(context);
    const auto run = findRun(*query, options.run);
    const auto queue = queueOf(query->runs());
    const auto at = placeOf(run, queue), all = static_cast<std::int64_t>(queue.size());
    std::int64_t to = options.first ? 0 : all - 1;
    if (!options.before.empty()) {
        to = placeOf(findRun(*query, options.before), queue);
        if (to > at) --to;  // removing the run moves later ones up
    }
    editRow(context, MoveRun{run.id, to - at});
    std::vector<std::string> ids;
    std::string text;
    for (const auto& waiting : queueOf(openDatabase(context)->runs())) {
        ids.push_back(waiting.id);
        text += waiting.id + "\n";
    }
    context.print({{"schema", "heddle.queue/1"}, {"runs", ids}}, text);
    return 0;
}

void addMove(CommandBuilder& runs) {
    auto o = std::make_shared<MoveOptions>();
    runs.command(verbOf(MoveRun{}), "Give a waiting run another place in the queue; prints the queue")
        .run(o->run)
        .flag("--first", o->first, "It starts next")
        .flag("--last", o->last, "It starts after all others")
        .option("--before", o->before, "RUN", "It starts right before this one")
        .examples("heddle runs move 3f2a --first\nheddle runs move 3f2a --before 77b0")
        .action([o](Context& context) { return move(*o, context); });
}

struct TransferOptions {
    std::string file;
    std::vector<std::string> runs;
    ForeignOptions foreign{};
    std::vector<std::string> metrics{};  ///< of the foreign options: givenMetric()
};

int copyIn(const TransferOptions& options, const Context& context) {
    printDone("imported", copyRuns(options.file, context.database, options.runs), context);
    return 0;
}

/// FILE tells whether it is another database, or what another program recorded.
int import(const TransferOptions& options, const Context& context) {
    const bool isForeign = isForeignFile(options.file);
    if (isForeign && !options.runs.empty())
        throwUsage("runs can be selected only from a run database", "RUN",
                   "do not select runs: all runs of the file are imported");
    ForeignOptions given = options.foreign;
    for (const std::string& metric : options.metrics) given.metrics.push_back(givenMetric(metric));
    const bool hasOptions = given.paired || given.restarts ||
                            !(given.run.empty() && given.seed.empty() && given.step.empty() && given.group.empty() &&
                              given.metrics.empty() && given.ignore.empty());
    if (!isForeign && hasOptions)
        throwUsage("a run database has no columns to map", options.file, "remove the options for columns");
    return isForeign ? importForeignFile(options.file, given, context) : copyIn(options, context);
}

void addImport(CommandBuilder& runs) {
    auto o = std::make_shared<TransferOptions>();
    runs.command("import", "Copy runs of another database into this one, or what another program recorded (help/foreign.md)")
        .positional("FILE", o->file,
                    "A run database; CSV, TSV or JSON lines, plain or gzip; TensorBoard events, a file or a folder; a Trackio"
                    " database; what `heddle runs export` wrote as csv, jsonl or tensorboard")
        .positionals("RUN", o->runs, "Of a run database: ids, unique prefixes or unique names (default: all that have ended)",
                     CommandBuilder::Need::Optional)
        .option("--run", o->foreign.run, "COLUMN", "Names a run; several together (default: run, run_id or name)")
        .option("--seed", o->foreign.seed, "COLUMN", "The seed of a run (default: seed)")
        .option("--step", o->foreign.step, "COLUMN", "The step of a row (default: step, _step or global_step)")
        .option("--group", o->foreign.group, "COLUMN",
                "The group of a run, whose runs are seeds of one experiment; or a text, the group of all (default: group or"
                " variant)")
        .option("--metric", o->metrics, "COLUMN=SPLIT:METRIC",
                "What a column is: val_loss=valid:loss; may be given several times")
        .option("--ignore", o->foreign.ignore, "COLUMN", "Leave a column out; may be given several times")
        .flag("--restarts", o->foreign.restarts, "A step below the one before begins another run (a log of several seeds)")
        .flag("--paired", o->foreign.paired, "Runs of equal seeds are pairs (default: no run is another's pair)")
        .examples(
            "heddle runs import other.heddle\n"
            "heddle runs import other.heddle 3f2a\n"
            "heddle runs import results.csv --group optimizer --metric val_bpb=valid:bits_per_byte\n"
            "heddle runs import tensorboard/ --group baseline")
        .action([o](Context& context) { return import(*o, context); });
}

}  // namespace

void addRuns(CommandBuilder& root) {
    CommandBuilder runs = root.command("runs", "The runs of a database");
    auto all = std::make_shared<bool>(false);
    runs.command("list", "List the runs, oldest first")
        .flag("--all", *all, "Also those in the trash")
        .examples("heddle runs list\nheddle runs list --db experiments.heddle --json")
        .action([all](Context& context) { return list(*all ? Listed::All : Listed::Kept, context); });

    auto shown = std::make_shared<std::string>();
    runs.command("show", "Show one run: spec, evaluations, checkpoints, attempts")
        .run(*shown)
        .examples("heddle runs show 3f2a")
        .action([shown](Context& context) { return showRun(*shown, context); });
    addGradients(runs);
    addRunsVerify(runs);

    addEdit(
        runs,
        {{editOf<TrashRun>, "trashed"}, "Put runs aside: hidden, kept whole until they are deleted", "heddle runs trash 3f2a"});
    addEdit(runs, {{editOf<RestoreRun>, "restored"}, "Take runs out of the trash", "heddle runs restore 3f2a"});
    addEdit(runs, {{editOf<DeleteRun>, "deleted"},
                   "Delete runs for good, with all that was recorded and their checkpoints",
                   "heddle runs delete 3f2a 77b0"});

    addMove(runs);
    addRunsExport(runs);
    addImport(runs);

    addRunsNote(runs);
    auto o = std::make_shared<TagOptions>();
    runs.command(verbOf(TagRun{}), "Show or change the tags of a run")
        .run(o->run)
        .positionals("TAG", o->add, "Tags to add", CommandBuilder::Need::Optional)
        .option("--remove", o->remove, "TAG", "Remove a tag; may be given several times")
        .examples("heddle runs tag 3f2a paper table-3 --remove draft")
        .action([o](Context& context) { return tag(*o, context); });
}

}  // namespace heddle::app
