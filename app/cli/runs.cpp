// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/documents.h"
#include "app/cli/follow.h"
#include "app/session/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace heddle::app {
namespace {

int list(const Context& context) {
    const auto query = openDatabase(context.database);
    const auto runs = query->runs();
    if (context.json) {
        Json all = Json::array();
        for (const auto& run : runs) all.push_back(runDocument(*query, run, context.database));
        context.print({{"schema", "heddle.runs/1"}, {"runs", all}});
        return 0;
    }
    Table table({"run", "name", "state", "steps", "epochs", "time", "seed", "valid"});
    for (const auto& run : runs)
        table.add({run.id, cut(plain(run.name), 24), shownState(run, context.database), std::to_string(run.step),
                   std::to_string(run.epoch), durationText(run.seconds), std::to_string(run.seed),
                   newestEvaluations(*query, run.id, "valid")});
    context.out << table.right({3, 4, 5, 6}).text();
    return 0;
}

int show(const std::string& text, const Context& context) {
    printRun(context, findRun(*openDatabase(context.database), text).id);
    return 0;
}

/// With --json the runs as they are afterwards; of deleted ones only the id is left.
int removeAll(const std::vector<std::string>& texts, const Context& context) {
    std::vector<std::string> ids;
    {
        const auto query = openDatabase(context.database);
        for (const auto& text : texts) ids.push_back(findRun(*query, text).id);  // all or nothing, as far as names go
    }
    for (const auto& id : ids) edit(context.database, {0, "delete", id, ""});
    if (context.json)
        context.print({{"schema", "heddle.deleted/1"}, {"runs", ids}});
    else
        for (const auto& id : ids) context.out << "deleted " << id << "\n";
    return 0;
}

struct TagOptions {
    std::string run;
    std::vector<std::string> add, remove;
};

int tag(const TagOptions& options, const Context& context) {
    const auto run = findRun(*openDatabase(context.database), options.run);
    auto tags = run.tags;
    for (const auto& t : options.remove) std::erase(tags, t);
    for (const auto& t : options.add)
        if (std::find(tags.begin(), tags.end(), t) == tags.end()) tags.push_back(t);
    if (tags != run.tags) edit(context.database, {0, "tag", run.id, Json{{"tags", tags}}.dump()});
    if (context.json)
        printRun(context, run.id);
    else
        context.out << plain(fmt::format("{}", fmt::join(tags, " "))) << "\n";
    return 0;
}

}  // namespace

void addRuns(CommandBuilder& root) {
    CommandBuilder runs = root.command("runs", "The runs of a database");
    runs.command("list", "List all runs, oldest first")
        .examples("heddle runs list\nheddle runs list --db experiments.heddle --json")
        .action([](Context& context) { return list(context); });

    auto shown = std::make_shared<std::string>();
    runs.command("show", "Show one run: spec, evaluations, checkpoints, attempts")
        .positional("RUN", *shown, "Id, unique prefix of one, or unique name")
        .examples("heddle runs show 3f2a")
        .action([shown](Context& context) { return show(*shown, context); });

    auto deleted = std::make_shared<std::vector<std::string>>();
    runs.command("delete", "Delete runs with all that was recorded, and their checkpoints")
        .positionals("RUN", *deleted, "Ids, unique prefixes or unique names")
        .examples("heddle runs delete 3f2a 77b0")
        .action([deleted](Context& context) { return removeAll(*deleted, context); });

    auto o = std::make_shared<TagOptions>();
    runs.command("tag", "Show or change the tags of a run")
        .positional("RUN", o->run, "Id, unique prefix of one, or unique name")
        .positionals("TAG", o->add, "Tags to add", CommandBuilder::Need::Optional)
        .option("--remove", o->remove, "TAG", "Remove a tag; may be given several times")
        .examples("heddle runs tag 3f2a paper table-3 --remove draft")
        .action([o](Context& context) { return tag(*o, context); });
}

}  // namespace heddle::app
