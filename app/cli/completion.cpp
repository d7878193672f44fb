// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "engine/spec/error.h"
#include "engine/spec/printable.h"

#include <fmt/format.h>

#include <ostream>

namespace heddle::app {
namespace {

std::string words(const CommandInfo& command) {
    return fmt::format("{}{}{}", fmt::join(command.commands, " "), command.commands.empty() ? "" : " ",
                       fmt::join(command.options, " "));
}

/// Finds the deepest command on the line so far, then offers what may follow it; files otherwise.
std::string bash(const std::vector<CommandInfo>& commands) {
    std::string cases;
    for (const auto& command : commands)
        cases += fmt::format("        \"{}\") words=\"{}\" ;;\n", command.path, words(command));
    std::string known;
    for (const auto& command : commands)
        if (!command.path.empty()) known += fmt::format("{}\"{}\"", known.empty() ? "" : "|", command.path);
    return fmt::format(
        R"(# bash completion of heddle; source it, or put it into ~/.local/share/bash-completion/completions/heddle
_heddle() {{
    local path="" words="" i next
    for ((i = 1; i < COMP_CWORD; i++)); do
        next="${{path:+$path }}${{COMP_WORDS[i]}}"
        case "$next" in
        {}) path="$next" ;;
        esac
    done
    case "$path" in
{}    esac
    COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
    [ ${{#COMPREPLY[@]}} -gt 0 ] || COMPREPLY=($(compgen -f -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o filenames -F _heddle heddle
)",
        known, cases);
}

std::string fish(const std::vector<CommandInfo>& commands) {
    std::string script = "# fish completion of heddle; put it into ~/.config/fish/completions/heddle.fish\n";
    for (const auto& command : commands) {
        std::string condition = "__fish_use_subcommand";
        if (!command.path.empty()) {
            condition.clear();
            for (std::size_t begin = 0; begin < command.path.size();) {
                const auto end = std::min(command.path.find(' ', begin), command.path.size());
                condition += fmt::format("{}__fish_seen_subcommand_from {}", condition.empty() ? "" : "; and ",
                                         command.path.substr(begin, end - begin));
                begin = end + 1;
            }
        }
        for (const auto& name : command.commands) script += fmt::format("complete -c heddle -n '{}' -a {}\n", condition, name);
        for (const auto& option : command.options)
            script += fmt::format("complete -c heddle -n '{}' -l {}\n", condition, option.substr(2));
    }
    return script;
}

int completion(const std::string& shell, const Context& context) {
    const auto commands = CommandLine().commands();
    if (shell == "bash")
        context.out << bash(commands);
    else if (shell == "zsh")  // zsh runs bash completions
        context.out << "#compdef heddle\nautoload -U +X bashcompinit && bashcompinit\n" << bash(commands);
    else if (shell == "fish")
        context.out << fish(commands);
    else
        throw Error(ErrorCode::Usage, fmt::format("no completion for \"{}\"", printable(shell)), "SHELL", "bash, zsh or fish");
    return 0;
}

}  // namespace

void addCompletion(CommandBuilder& root) {
    auto shell = std::make_shared<std::string>();
    root.command("completion", "Print a completion script")
        .positional("SHELL", *shell, "bash, zsh or fish")
        .examples("source <(heddle completion bash)")
        .action([shell](Context& context) { return completion(*shell, context); });
}

}  // namespace heddle::app
