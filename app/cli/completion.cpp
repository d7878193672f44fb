// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/documents.h"
#include "engine/base/error.h"
#include "engine/base/printable.h"
#include "engine/base/split.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/manual.h"
#include "engine/spec/variant_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <ostream>
#include <set>
#include <utility>

namespace heddle::app {
namespace {

/// Whether `heddle completion --values` can list values of this kind, by its name in the help.
bool isKnown(const std::string& value) {
    return value == "RUN" || value == "SPEC" || value == "PATH=VALUE" || value == "KEY" || value == "BLOCK";
}

std::string words(const CommandInfo& command) {
    return fmt::format("{}{}{}", fmt::join(command.commands, " "), command.commands.empty() ? "" : " ",
                       fmt::join(command.options, " "));
}

/// "--run:RUN --set:PATH=VALUE", for options whose values can be listed.
std::string valuesOf(const CommandInfo& command) {
    std::string text;
    for (const auto& [option, value] : command.values)
        if (isKnown(value)) text += fmt::format("{}{}:{}", text.empty() ? "" : " ", option, value);
    return text;
}

/// Finds the deepest command on the line and offers what may follow it; otherwise files.
std::string bash(const std::vector<CommandInfo>& commands) {
    std::string cases;
    for (const auto& command : commands)
        cases += fmt::format("        \"{}\") words=\"{}\" values=\"{}\" positional=\"{}\" ;;\n", command.path, words(command),
                             valuesOf(command), isKnown(command.positional) ? command.positional : "");
    std::string known;
    for (const auto& command : commands)
        if (!command.path.empty()) known += fmt::format("{}\"{}\"", known.empty() ? "" : "|", command.path);
    return fmt::format(
        R"SH(# bash completion of heddle; source it, or put it into ~/.local/share/bash-completion/completions/heddle
_heddle() {{
    local place="" words="" values="" positional="" kind="" database="" i next pair value quoted IFS=$' \t\n'
    local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
    for ((i = 1; i < COMP_CWORD; i++)); do
        [ "${{COMP_WORDS[i]}}" = --db ] && database="${{COMP_WORDS[i+1]}}"
        next="${{place:+$place }}${{COMP_WORDS[i]}}"
        case "$next" in
        {}) place="$next" ;;
        esac
    done
    case "$place" in
{}    esac
    for pair in $values; do
        [ "$before" = "${{pair%%:*}}" ] && kind="${{pair#*:}}"
    done
    case "$before$current" in
    *--*) ;;
    *) [ -n "$kind" ] || kind="$positional" ;;
    esac
    IFS=$'\n'
    COMPREPLY=()
    if [ -n "$kind" ]; then
        # Compared as they are: compgen -W would expand a name, and thereby run the commands in it.
        while IFS= read -r value; do
            printf -v quoted %q "$value"
            case "$value" in
            "$current"*) COMPREPLY+=("$value") ;;
            *) case "$quoted" in "$current"*) COMPREPLY+=("$value") ;; esac ;;
            esac
        done < <(heddle completion --values "$kind" ${{database:+--db}} ${{database:+"$database"}} 2>/dev/null)
        [ "$kind" = PATH=VALUE ] && compopt -o nospace 2>/dev/null
        [ "$kind" = SPEC ] && COMPREPLY+=($(compgen -f -- "$current"))
    fi
    [ ${{#COMPREPLY[@]}} -gt 0 ] || {{ IFS=$' \t\n'; COMPREPLY=($(compgen -W "$words" -- "$current")); }}
    [ ${{#COMPREPLY[@]}} -gt 0 ] || {{ IFS=$'\n'; COMPREPLY=($(compgen -f -- "$current")); }}
}}
complete -o filenames -F _heddle heddle
)SH",
        known, cases);
}

std::string fish(const std::vector<CommandInfo>& commands) {
    std::string script = "# fish completion of heddle; put it into ~/.config/fish/completions/heddle.fish\n";
    const auto valuesCommand = [](const std::string& value) { return fmt::format("'(heddle completion --values {})'", value); };
    for (const auto& command : commands) {
        std::string condition = "__fish_use_subcommand";
        if (!command.path.empty()) {
            condition.clear();
            for (const auto& word : splitAt(command.path, ' '))
                condition += fmt::format("{}__fish_seen_subcommand_from {}", condition.empty() ? "" : "; and ", word);
        }
        for (const auto& name : command.commands) script += fmt::format("complete -c heddle -n '{}' -a {}\n", condition, name);
        if (isKnown(command.positional))
            script += fmt::format("complete -c heddle -n '{}' -a {}\n", condition, valuesCommand(command.positional));
        for (const auto& option : command.options) {
            const auto value = command.values.find(option);
            const bool hasWords = value != command.values.end() && isKnown(value->second);
            script += fmt::format("complete -c heddle -n '{}' -l {}{}\n", condition, option.substr(2),
                                  hasWords ? " -x -a " + valuesCommand(value->second) : "");
        }
    }
    return script;
}

/// Ids and names of the runs that are not in the trash; empty without database.
std::vector<std::string> runWords(const Context& context) {
    if (!std::filesystem::exists(context.database)) return {};
    std::vector<std::string> all;
    for (const auto& run : openDatabase(context)->runs()) {
        if (run.trashed > 0) continue;
        all.push_back(run.id);
        if (!run.name.empty() && !run.damaged) all.push_back(run.name);
    }
    return all;
}

/// Prints the possible values of this kind, one per line.
int printValues(const std::string& kind, const Context& context) {
    std::set<std::string> all;
    if (kind == "RUN")
        for (auto& word : runWords(context)) all.insert(std::move(word));
    else if (kind == "SPEC")
        for (const auto& preset : presetNames()) all.insert(preset);
    else if (kind == "PATH=VALUE" || kind == "KEY")
        for (const auto& row : specRows()) all.insert(row.path + (kind == "KEY" ? "" : "="));
    else if (kind == "BLOCK")
        for (const auto& block : builtinCatalogue().blocks()) all.insert(block.id);
    else
        throw Error(ErrorCode::Usage, fmt::format("unknown kind of value \"{}\"", printable(kind)), "--values",
                    "RUN, SPEC, PATH=VALUE, KEY or BLOCK");
    for (const auto& word : all) context.lines << word << "\n";
    return 0;
}

int completion(const std::string& shell, const Context& context) {
    const auto commands = CommandLine(heddleCommands()).commands();
    if (shell == "bash")
        context.out << bash(commands);
    else if (shell == "zsh")  // zsh can run bash completions; there, $path is $PATH
        context.out << "#compdef heddle\nautoload -U +X bashcompinit && bashcompinit\n" << bash(commands);
    else if (shell == "fish")
        context.out << fish(commands);
    else
        throw Error(ErrorCode::Usage, fmt::format("unsupported shell \"{}\"", printable(shell)), "SHELL", "bash, zsh or fish");
    return 0;
}

}  // namespace

void addCompletion(CommandBuilder& root) {
    struct Options {
        std::string shell, values;
    };
    auto o = std::make_shared<Options>();
    root.command("completion", "Print a completion script, for the names of runs, presets and keys of a spec too")
        .positional("SHELL", o->shell, "bash, zsh or fish", CommandBuilder::Need::Optional)
        .option("--values", o->values, "KIND", "Print instead what an argument may be: RUN, SPEC, PATH=VALUE, KEY or BLOCK")
        .examples("source <(heddle completion bash)")
        .action([o](Context& context) {
            return o->values.empty() ? completion(o->shell, context) : printValues(o->values, context);
        });
}

}  // namespace heddle::app
