// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/context.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace heddle::app {

/// The description of an argument that names a run.
inline constexpr const char* kRunHelp = "Id, unique prefix of one, or unique name";

/// Declares one command. A thin wrapper of CLI11, whose headers take five seconds per file and are only compiled in
/// command_line.cpp. Targets must outlive the command line; commands keep theirs in a shared_ptr captured by the action.
class CommandBuilder {
public:
    using Action = std::function<int(Context&)>;

    CommandBuilder(CLI::App& app, Action& chosen) : app_(&app), chosen_(&chosen) {}

    /// A subcommand.
    CommandBuilder command(const std::string& name, const std::string& summary);

    enum class Need { Required, Optional };
    CommandBuilder& positional(const std::string& name, std::string& target, const std::string& help,
                               Need need = Need::Required);
    CommandBuilder& positionals(const std::string& name, std::vector<std::string>& target, const std::string& help,
                                Need need = Need::Required);
    CommandBuilder& option(const std::string& name, std::string& target, const std::string& value, const std::string& help);
    CommandBuilder& option(const std::string& name, std::vector<std::string>& target, const std::string& value,
                           const std::string& help);  ///< may be given several times
    CommandBuilder& option(const std::string& name, std::optional<std::int64_t>& target, const std::string& value,
                           const std::string& help);
    CommandBuilder& option(const std::string& name, std::optional<double>& target, const std::string& value,
                           const std::string& help);
    // Arguments and options that several commands share. Each has one description.
    CommandBuilder& run(std::string& target, const std::string& more = "");  ///< RUN; `more` follows its description
    CommandBuilder& spec(std::string& target);                               ///< SPEC
    CommandBuilder& text(std::string& target, const std::string& what);      ///< TEXT, or lines of standard input
    CommandBuilder& set(std::vector<std::string>& target, const std::string& what = "one value of the spec");  ///< --set
    CommandBuilder& device(std::string& target, const std::string& of = "");                                   ///< --device
    CommandBuilder& jobs(std::optional<std::int64_t>& target);                                                 ///< --jobs

    CommandBuilder& flag(const std::string& name, bool& target, const std::string& help);
    CommandBuilder& required(const std::string& name);
    CommandBuilder& excludes(const std::string& name, const std::string& other);
    CommandBuilder& examples(const std::string& lines);
    /// The action of the command, called after parsing. Declare it last.
    CommandBuilder& action(Action run);

private:
    CLI::App* app_;
    Action* chosen_;
};

/// One command for completion scripts.
struct CommandInfo {
    std::string path;  ///< "runs list"; empty for the program itself
    std::string summary;
    std::vector<std::string> commands, options;
    std::map<std::string, std::string> values;  ///< value names of options: {"--run", "RUN"}
    std::string positional;                     ///< name of the positional arguments: "RUN", "SPEC"; empty: none
};

/// The commands of a program.
struct CommandSet {
    const char* program;  ///< "heddle"
    const char* summary;
    void (*add)(CommandBuilder& root);
};
/// Returns the commands of `heddle`.
const CommandSet& heddleCommands();

/// The command line of a program. It declares the commands, parses the arguments, and reports mistakes as Error(Usage) with a
/// "did you mean".
class CommandLine {
public:
    explicit CommandLine(const CommandSet& set);
    ~CommandLine();

    /// Null if parsing already did everything (--help, --version); the text was then printed to `context.out`.
    CommandBuilder::Action parse(const std::vector<std::string>& arguments, Context& context);
    std::vector<CommandInfo> commands() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::app
