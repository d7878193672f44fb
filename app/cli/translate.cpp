// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/documents.h"
#include "app/cli/input_lines.h"
#include "app/session/checkpoint_folders.h"
#include "app/session/engine_loader.h"
#include "app/session/requests.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/error.h"
#include "storage/run_store.h"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>

namespace heddle::app {
namespace {

constexpr std::size_t kLinesAtOnce = 64;

struct TranslateOptions {
    std::string run, checkpoint = "best", text, device = "auto";
};

/// The checkpoint that was asked for. "best" is the newest one marked best; where validation never chose one, the last.
storage::CheckpointRecord chooseCheckpoint(const std::vector<storage::CheckpointRecord>& all, const std::string& wish,
                                           const Context& context) {
    const auto newest = [&](const auto& fits) {
        const storage::CheckpointRecord* found = nullptr;
        for (const auto& c : all)
            if (fits(c) && (!found || c.step >= found->step)) found = &c;
        return found;
    };
    const auto ofKind = [](const std::string& kind) { return [kind](const auto& c) { return c.kind == kind; }; };
    const storage::CheckpointRecord* found = nullptr;
    if (wish == "best" || wish == "last") {
        found = newest(ofKind(wish));
        if (!found && wish == "best" && (found = newest([](const auto&) { return true; })))
            context.err << "no checkpoint is marked best: using the one of step " << found->step << "\n";
        if (!found && wish == "last") found = newest([](const auto&) { return true; });
    } else {
        found = newest([&](const auto& c) { return std::to_string(c.step) == wish; });
    }
    if (found) return *found;
    std::string steps;
    for (const auto& c : all) steps += fmt::format("{}{} ({})", steps.empty() ? "" : ", ", c.step, c.kind);
    throw Error(ErrorCode::Usage, fmt::format("there is no checkpoint \"{}\"", wish), "--checkpoint",
                steps.empty() ? "the run has none yet" : "there are: " + steps);
}

int translate(const TranslateOptions& options, const Context& context) {
    const auto query = openDatabase(context.database);
    const auto run = findRun(*query, options.run);
    const auto checkpoint = chooseCheckpoint(query->checkpoints(run.id), options.checkpoint, context);
    const std::string artifacts = storage::artifactFolder(std::filesystem::absolute(context.database).string());
    if (const auto problem = checkpointProblem(artifacts, checkpoint); !problem.empty())
        throwInvalid(problem, "run " + run.id, "choose another one with --checkpoint");
    const RunSpec spec = RunSpec::parse(parseJson(run.spec, "run " + run.id), builtinCatalogue());
    const auto engine = loadEngine();
    const auto session =
        engine->openInference(spec, artifacts + "/" + run.id, artifacts + "/" + checkpoint.folder, options.device);

    Json all = Json::array();
    std::vector<std::string> waiting;
    const auto flush = [&] {
        if (waiting.empty()) return;
        const auto translations = session->translate(waiting);
        for (std::size_t i = 0; i < translations.size(); ++i) {
            if (context.json)
                all.push_back({{"source", waiting[i]}, {"translation", translations[i].text}});
            else
                context.out << translations[i].text << "\n";
        }
        context.out.flush();
        waiting.clear();
    };
    forEachLine(context, options.text, [&](const std::string& line) {
        waiting.push_back(line);
        if (waiting.size() == kLinesAtOnce) flush();
    });
    flush();
    if (context.json)
        context.print({{"schema", "heddle.translation/1"}, {"run", run.id}, {"step", checkpoint.step}, {"lines", all}});
    return 0;
}

}  // namespace

void addTranslate(CommandBuilder& root) {
    auto o = std::make_shared<TranslateOptions>();
    root.command("translate", "Translate with a trained run: one line out for each line in")
        .option("--run", o->run, "RUN", "Id, unique prefix of one, or unique name")
        .required("--run")
        .option("--checkpoint", o->checkpoint, "WHICH", "best (default), last, or a step")
        .option("--device", o->device, "DEVICE", "auto, cpu, cuda or cuda:N")
        .positional("TEXT", o->text, "A sentence; without it, or for -, lines of standard input",
                    CommandBuilder::Need::Optional)
        .examples(
            "heddle translate --run base 'a man sleeps .'\nheddle translate --run 3f2a --checkpoint last < test.en > test.hyp")
        .action([o](Context& context) { return translate(*o, context); });
}

}  // namespace heddle::app
