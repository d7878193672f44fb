// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command_line.h"

#include "app/cli/commands.h"
#include "app/session/process/paths.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/base/suggestion.h"

#include <fmt/format.h>
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <ostream>
#include <sstream>

namespace heddle::app {
namespace {

void addHeddleCommands(CommandBuilder& root) {
    for (const auto add : {addTrain,     addResume,    addSweep,    addStudy,    addFork,    addServe,     addRuns,
                           addCompare,   addVariants,  addBlocks,   addSpec,     addData,    addTokenizer, addVectors,
                           addTranslate, addGenerate,  addClassify, addEvaluate, addAverage, addWeights,   addInspect,
                           addIntervene, addReproduce, addVerify,   addBench,    addSetup,   addDoctor,    addCompletion})
        add(root);
    root.examples(
        "heddle train eau-full --set data.train.source=train.en --set data.train.target=train.de\n"
        "heddle runs list\n"
        "heddle compare RUN RUN --svg curves.svg");
}

/// Indents lines of help text.
std::string indented(const std::string& lines) {
    std::istringstream in(lines);
    std::string text, line;
    while (std::getline(in, line)) text += "  " + line + "\n";
    return text;
}

std::vector<std::string> commandNames(const CLI::App& app) {
    std::vector<std::string> names;
    for (const auto* sub : app.get_subcommands([](const CLI::App*) { return true; })) names.push_back(sub->get_name());
    return names;
}

std::vector<std::string> optionNames(const CLI::App& app) {
    std::vector<std::string> names;
    for (const auto* option : app.get_options())
        for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

CommandInfo infoOf(const CLI::App& app, const std::string& path) {
    CommandInfo info{path, app.get_description(), commandNames(app), optionNames(app), {}, ""};
    for (const auto* option : app.get_options()) {
        if (option->get_positional())
            info.positional = option->get_single_name();
        else if (option->get_items_expected_max() > 0 && !option->get_lnames().empty())
            info.values["--" + option->get_lnames().front()] = option->get_type_name();
    }
    return info;
}

/// The path of a command: "heddle runs list".
std::string pathOf(const CLI::App* app) {
    return app->get_parent() ? pathOf(app->get_parent()) + " " + app->get_name() : app->get_name();
}

const CLI::App* deepestParsed(const CLI::App* app) {
    while (!app->get_subcommands().empty()) app = app->get_subcommands().back();
    return app;
}

[[noreturn]] void refuseWord(const std::string& what, const CLI::App* app, const std::string& hint) {
    heddle::throwUsage(what, pathOf(app), fmt::format("{}{}see {} --help", hint, hint.empty() ? "" : "; ", pathOf(app)));
}

/// Rejects unparsed arguments: an unknown option, command, or a superfluous value. `missing` names a missing required option,
/// whose value is probably among them.
void rejectLeftovers(const CLI::App& root, const std::string& missing = "") {
    const auto leftovers = root.remaining(true);
    if (leftovers.empty()) return;
    const CLI::App* app = deepestParsed(&root);
    const auto option =
        std::find_if(leftovers.begin(), leftovers.end(), [](const auto& a) { return a.size() > 1 && a[0] == '-'; });
    if (option != leftovers.end()) {
        const std::string word = option->substr(0, option->find('='));
        refuseWord(fmt::format("unknown option \"{}\"", printable(word)), app, nearestHint(word, optionNames(*app)));
    }
    const std::string word = printable(leftovers.front());
    const auto commands = commandNames(*app);
    if (commands.empty()) refuseWord(missing.empty() ? fmt::format("unexpected argument \"{}\"", word) : missing, app, "");
    refuseWord(fmt::format("unknown command \"{}\"", word), app, nearestHint(word, commands));
}

}  // namespace

CommandBuilder CommandBuilder::command(const std::string& name, const std::string& summary) {
    CLI::App* sub = app_->add_subcommand(name, summary);
    sub->allow_extras();
    sub->require_subcommand(0, 1);
    return {*sub, *chosen_};
}

CommandBuilder& CommandBuilder::positional(const std::string& name, std::string& target, const std::string& help, Need need) {
    app_->add_option(name, target, help)->required(need == Need::Required)->type_name("");
    return *this;
}

CommandBuilder& CommandBuilder::positionals(const std::string& name, std::vector<std::string>& target, const std::string& help,
                                            Need need) {
    constexpr int kMany = CLI::detail::expected_max_vector_size;  // shown as "RUN..."
    app_->add_option(name, target, help)->required(need == Need::Required)->type_name("")->expected(1, kMany);
    return *this;
}

CommandBuilder& CommandBuilder::option(const std::string& name, std::string& target, const std::string& value,
                                       const std::string& help) {
    app_->add_option(name, target, help)->type_name(value);
    return *this;
}

CommandBuilder& CommandBuilder::option(const std::string& name, std::vector<std::string>& target, const std::string& value,
                                       const std::string& help) {
    app_->add_option(name, target, help)->type_name(value)->allow_extra_args(false);
    return *this;
}

CommandBuilder& CommandBuilder::option(const std::string& name, std::optional<std::int64_t>& target, const std::string& value,
                                       const std::string& help) {
    app_->add_option(name, target, help)->type_name(value);
    return *this;
}

CommandBuilder& CommandBuilder::option(const std::string& name, std::optional<double>& target, const std::string& value,
                                       const std::string& help) {
    app_->add_option(name, target, help)->type_name(value);
    return *this;
}

CommandBuilder& CommandBuilder::run(std::string& target, const std::string& more) {
    return positional("RUN", target, kRunHelp + more);
}

CommandBuilder& CommandBuilder::spec(std::string& target) {
    return positional("SPEC", target, "A JSON file (run spec or bare variant), or the name of a preset");
}

CommandBuilder& CommandBuilder::text(std::string& target, const std::string& what) {
    return positional("TEXT", target, what + "; without it, or for -, lines of standard input", Need::Optional);
}

CommandBuilder& CommandBuilder::set(std::vector<std::string>& target, const std::string& what) {
    return option("--set", target, "PATH=VALUE", "Change " + what + "; may be given several times");
}

CommandBuilder& CommandBuilder::device(std::string& target, const std::string& of) {
    return option("--device", target, "DEVICE", "auto, cpu, cuda or cuda:N" + of);
}

CommandBuilder& CommandBuilder::jobs(std::optional<std::int64_t>& target) {
    return option("--jobs", target, "N",
                  "Train N runs at once on the processor; each needs train.threads, set to a share of the cores");
}

CommandBuilder& CommandBuilder::flag(const std::string& name, bool& target, const std::string& help) {
    app_->add_flag(name, target, help);
    return *this;
}

CommandBuilder& CommandBuilder::required(const std::string& name) {
    app_->get_option(name)->required();
    return *this;
}

CommandBuilder& CommandBuilder::excludes(const std::string& name, const std::string& other) {
    app_->get_option(name)->excludes(app_->get_option(other));
    return *this;
}

CommandBuilder& CommandBuilder::examples(const std::string& lines) {
    app_->footer("\nExamples:\n" + indented(lines));
    return *this;
}

CommandBuilder& CommandBuilder::action(Action run) {
    app_->callback([chosen = chosen_, run = std::move(run)] { *chosen = run; });
    return *this;
}

const CommandSet& heddleCommands() {
    static const CommandSet kSet{"heddle", "Honest experiments on transformer variants", addHeddleCommands};
    return kSet;
}

struct CommandLine::Impl {
    explicit Impl(const CommandSet& set) : app(set.summary, set.program) {}

    CLI::App app;
    CommandBuilder::Action chosen;
    std::string database;
    bool json = false, version = false;

    void addGlobals(CLI::App& command) {
        command.add_option("--db", database, "Run database (default: $HEDDLE_DB, else ./runs.heddle)")
            ->type_name("FILE")
            ->group("Everywhere");
        command.add_flag("--json", json, "Print one JSON document instead of text")->group("Everywhere");
        command.get_option("--help")->group("Everywhere");
        for (auto* sub : command.get_subcommands([](CLI::App*) { return true; })) addGlobals(*sub);
    }
};

CommandLine::CommandLine(const CommandSet& set) : impl_(std::make_unique<Impl>(set)) {
    auto& app = impl_->app;
    app.set_help_flag("-h,--help", "Print this help");
    app.add_flag("--version", impl_->version, "Print the version")->group("Everywhere");
    app.allow_extras();
    app.require_subcommand(0, 1);
    CommandBuilder root(app, impl_->chosen);
    set.add(root);
    impl_->addGlobals(app);
}

CommandLine::~CommandLine() = default;

CommandBuilder::Action CommandLine::parse(const std::vector<std::string>& arguments, Context& context) {
    auto& app = impl_->app;
    std::vector<std::string> backwards(arguments.rbegin(), arguments.rend());
    if (!arguments.empty() && arguments.front() == "help") {  // heddle help train: heddle train --help
        backwards.pop_back();
        backwards.insert(backwards.begin(), "--help");
    }
    try {
        app.parse(std::move(backwards));
    } catch (const CLI::CallForHelp&) {
        context.out << app.help();
        return {};
    } catch (const CLI::ParseError& error) {
        const bool lacksOne = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
        rejectLeftovers(app, lacksOne ? error.what() : "");  // a mistyped option explains more than its consequence
        refuseWord(error.what(), deepestParsed(&app), "");
    }
    context.json = impl_->json;
    const std::string fromEnvironment = environment("HEDDLE_DB");
    if (!impl_->database.empty())
        context.database = impl_->database;
    else if (!fromEnvironment.empty())
        context.database = fromEnvironment;
    if (impl_->version) {
        context.print({{"schema", "heddle.version/1"}, {"version", HEDDLE_VERSION}}, "heddle " HEDDLE_VERSION "\n");
        return {};
    }
    rejectLeftovers(app);
    if (!impl_->chosen) {
        const CLI::App* reached = deepestParsed(&app);
        refuseWord("no command given", reached, "one of: " + fmt::format("{}", fmt::join(commandNames(*reached), ", ")));
    }
    return impl_->chosen;
}

std::vector<CommandInfo> CommandLine::commands() const {
    std::vector<CommandInfo> all;
    const std::function<void(const CLI::App&, const std::string&)> visit = [&](const CLI::App& app, const std::string& path) {
        all.push_back(infoOf(app, path));
        for (const auto* sub : app.get_subcommands([](const CLI::App*) { return true; }))
            visit(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name());
    };
    visit(impl_->app, "");
    return all;
}

}  // namespace heddle::app
