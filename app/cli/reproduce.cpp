// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/documents.h"
#include "app/cli/follow.h"
#include "app/cli/reproduction_text.h"
#include "app/cli/write_file.h"
#include "app/session/process/paths.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

namespace heddle::app {
namespace {

struct ReproduceOptions {
    std::string table, only, data = "./data", device, markdown;
    std::optional<std::int64_t> seeds;
    bool quick = false, dryRun = false, skipMissing = false;
};

int listTables(const Context& context) {
    Table table({"table", "runs", "quick", "what"});
    Json all = Json::array();
    for (const auto& id : recipeIds()) {
        const Recipe recipe = readRecipe(id);
        const auto trained =
            std::count_if(recipe.runs.begin(), recipe.runs.end(), [&](const auto& run) { return recipe.needsTraining(run); });
        Json data = Json::array();
        for (const auto& d : recipe.data) data.push_back({{"title", d.title}, {"from", d.from}});
        all.push_back({{"table", id},
                       {"title", recipe.title},
                       {"runs", trained},
                       {"quick", recipe.quick.has_value()},
                       {"published_only", recipe.why},
                       {"data", data}});
        table.add({id, trained == 0 ? "–" : std::to_string(trained), recipe.quick ? "yes" : "–", cut(recipe.title, 80)});
    }
    const char* hint =
        "\nheddle reproduce TABLE --dry-run says what a table takes and which data it reads, and builds its models\n";
    context.print({{"schema", "heddle.reproductions/1"}, {"tables", all}}, table.right({1}).text() + hint);
    return 0;
}

/// Starts and resumes unfinished runs; returns the exit code of the command.
class Runner {
public:
    Runner(const Context& context, Reproduction& reproduction) : context_(context), reproduction_(reproduction) {}

    int run() {
        if (!hasWork()) return 0;
        context_.engine();  // fails before a run is created that could not be trained
        const int code = followRuns(context_, openSession(context_, "reproduce", ""),
                                    [this](RunSession& session) { return begin(session); });
        return code != 0 ? code : failure_;
    }

private:
    bool hasWork() const {
        return std::any_of(reproduction_.items().begin(), reproduction_.items().end(), [](const auto& item) {
            return item.state == ReproductionItem::State::New || item.state == ReproductionItem::State::Unfinished;
        });
    }
    std::optional<std::string> begin(RunSession& session) {
        conclude(session);
        const auto query = storage::RunQuery::open(context_.database);
        reproduction_.refresh(*query, context_.database);
        const auto item = reproduction_.next();
        if (!item) return std::nullopt;
        const auto& items = reproduction_.items();
        const auto done =
            std::count_if(items.begin(), items.end(), [](const auto& i) { return i.state == ReproductionItem::State::Done; });
        context_.err << fmt::format("{} of {} runs done; {} {}, seed {}\n", done, items.size(),
                                    item->id.empty() ? "now" : "going on with", item->run->name, item->seed);
        if (item->id.empty()) return running_ = session.submit(reproduction_.specOf(*item), reproduction_.labels());
        session.resume(item->id);
        return running_ = item->id;
    }
    /// Reports a failed run and continues with the others. Divergence is a result if the recipe measures it.
    void conclude(const RunSession& session) {
        const auto end = running_.empty() ? std::nullopt : session.ended(running_);
        if (!end || !end->error) return;
        context_.err << fmt::format("run {} failed: {} ({})\n", running_, printable(end->error->problem()),
                                    printable(end->error->where()));
        const auto& measures = reproduction_.recipe().measures;
        const bool mayDiverge =
            std::any_of(measures.begin(), measures.end(), [](const auto& m) { return m.field == "diverged"; });
        if (failure_ == 0 && !(mayDiverge && end->error->code() == ErrorCode::Diverged))
            failure_ = static_cast<int>(end->error->code());
    }

    const Context& context_;
    Reproduction& reproduction_;
    std::string running_;
    int failure_ = 0;
};

/// Tries every model of a dry run on its data, so that untrainable runs are found before hours are spent on others.
int rehearse(const Context& context, Reproduction& reproduction) {
    const auto& items = reproduction.items();
    if (std::all_of(items.begin(), items.end(), [](const auto& item) { return !item.missing.empty(); })) return 0;
    const auto engine = context.engine();
    const auto begun = [&](const std::string& run) {
        if (context.terminal.progress) context.screen << fmt::format("\r\033[Kbuilding {}", printable(run)) << std::flush;
    };
    const std::size_t built = reproduction.rehearse(*engine, defaultCacheFolder(), begun);
    if (context.terminal.progress) context.screen << "\r\033[K";
    context.err << fmt::format("{} model{} built and met {} data\n", built, built == 1 ? " was" : "s were",
                               built == 1 ? "its" : "their");
    const bool fails = std::any_of(items.begin(), items.end(), [](const auto& item) { return !item.problem.empty(); });
    return fails ? static_cast<int>(ErrorCode::InvalidInput) : 0;
}

void print(const ReproduceOptions& options, const Context& context, Reproduction& reproduction) {
    std::unique_ptr<storage::RunQuery> query;
    if (std::filesystem::exists(context.database)) {
        query = openDatabase(context);
        reproduction.refresh(*query, context.database);
    }
    const ReproductionTable table = tabulate(reproduction, query.get());
    if (context.json)
        context.print(reproductionDocument(reproduction, table));
    else
        context.out << (options.dryRun ? reproductionPlanText(reproduction) : reproductionText(reproduction, table));
    if (options.markdown.empty()) return;
    writeFile(options.markdown, reproductionMarkdown(reproduction, table));
    context.err << "table in " << options.markdown << "\n";
}

int reproduce(const ReproduceOptions& options, const Context& context) {
    if (options.table == "list") return listTables(context);
    if (options.seeds && (*options.seeds < 1 || *options.seeds > 1000))
        throw Error(ErrorCode::Usage, "invalid number of seeds", "--seeds", "use 1 to 1000");
    ReproductionRequest request{options.quick ? Recipe::Scale::Quick : Recipe::Scale::Full, options.data, options.seeds,
                                options.only, options.device};
    Reproduction reproduction(readRecipe(options.table), std::move(request));
    int code = 0;
    if (options.dryRun) {
        if (std::filesystem::exists(context.database)) reproduction.refresh(*openDatabase(context), context.database);
        code = rehearse(context, reproduction);
    } else {
        if (!reproduction.missing().empty() && !options.skipMissing)
            throwInvalid(fmt::format("{} data file{} missing; nothing was started", reproduction.missing().size(),
                                     reproduction.missing().size() == 1 ? " is" : "s are"),
                         options.data,
                         "put them there, name another folder with --data, or run what can be run with --skip-missing\n" +
                             missingText(reproduction));
        if (std::filesystem::exists(context.database)) reproduction.refresh(*openDatabase(context), context.database);
        code = Runner(context, reproduction).run();
    }
    print(options, context, reproduction);
    if (code == 75 || code == 130) context.err << "repeat the command to continue: finished runs are kept\n";
    return code;
}

}  // namespace

void addReproduce(CommandBuilder& root) {
    auto o = std::make_shared<ReproduceOptions>();
    root.command("reproduce", "Run a paper's experiment and put the published numbers beside the measured ones")
        .positional("TABLE", o->table, "A table's id, or list")
        .flag("--quick", o->quick, "A smaller version, labelled so everywhere")
        .option("--data", o->data, "DIR", "Folder of the publishers' files (default ./data)")
        .option("--seeds", o->seeds, "N", "Runs of every line (default: the recipe's)")
        .option("--only", o->only, "ROW", "One line of the table, or all that begin so")
        .device(o->device)
        .flag("--dry-run", o->dryRun,
              "Say what would be run and which files are missing, build every model and show it two examples of its data; "
              "train nothing")
        .flag("--skip-missing", o->skipMissing, "Run what can be run with the data at hand")
        .option("--markdown", o->markdown, "FILE", "Write the table as Markdown, too")
        .examples(
            "heddle reproduce list\n"
            "heddle reproduce eau-grc-table3 --quick --data ~/corpora --dry-run\n"
            "heddle reproduce eau-grc-table3 --quick --data ~/corpora --markdown table3.md")
        .action([o](Context& context) { return reproduce(*o, context); });
}

}  // namespace heddle::app
