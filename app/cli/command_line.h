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
class Option;
}  // namespace CLI

namespace heddle::app {

/// One command while it is declared. A thin face over CLI11, whose headers cost five seconds a file: they are compiled in
/// command_line.cpp alone. Targets must live as long as the command line; commands keep theirs in a shared_ptr that the action
/// holds.
class CommandBuilder {
public:
    using Action = std::function<int(Context&)>;

    CommandBuilder(CLI::App& app, Action& chosen) : app_(&app), chosen_(&chosen) {}

    /// A command below this one.
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
    CommandBuilder& flag(const std::string& name, bool& target, const std::string& help);
    CommandBuilder& required(const std::string& name);
    CommandBuilder& excludes(const std::string& name, const std::string& other);
    CommandBuilder& examples(const std::string& lines);
    /// What the command does, after everything has been parsed. Declare last.
    CommandBuilder& action(Action run);

private:
    CLI::App* app_;
    Action* chosen_;
};

/// One command of the tree, as completion scripts need it.
struct CommandInfo {
    std::string path;  ///< "runs list"; empty for the program itself
    std::string summary;
    std::vector<std::string> commands, options;
    std::map<std::string, std::string> values;  ///< what options take: {"--run", "RUN"}
    std::string positional;                     ///< what the arguments are: "RUN", "SPEC"; empty: there are none
};

/// The command line of the program: declares the commands, parses, and turns every mistake into Error(Usage) with a "did you
/// mean".
class CommandLine {
public:
    CommandLine();
    ~CommandLine();

    /// Null when everything was done while parsing (--help, --version); the text is on `context.out` then.
    CommandBuilder::Action parse(const std::vector<std::string>& arguments, Context& context);
    std::vector<CommandInfo> commands() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::app
