// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "engine/data/inspect.h"
#include "engine/spec/error.h"

#include <ostream>

namespace heddle::app {
namespace {

struct InspectArguments {
    std::vector<std::string> paths;
    InspectOptions options;
    std::optional<std::int64_t> minCount;
};

int inspect(InspectArguments arguments, const Context& context) {
    if (arguments.minCount) arguments.options.minCount = *arguments.minCount;
    if (arguments.options.split != "whitespace" && arguments.options.split != "13a")
        throw Error(ErrorCode::Usage, "unknown split \"" + arguments.options.split + "\"", "--split", "whitespace or 13a");
    const Json report = inspectFiles(arguments.paths, arguments.options);
    if (context.json)
        context.print(report);
    else
        context.out << inspectText(report);
    return 0;
}

}  // namespace

void addData(CommandBuilder& root) {
    CommandBuilder data = root.command("data", "Text files: what is in them, and whether they fit together");
    auto o = std::make_shared<InspectArguments>();
    data.command("inspect", "Check and describe text files (plain or .gz, UTF-8, one sentence a line)")
        .positionals("PATH", o->paths, "Files; two sides of a text are checked as a pair")
        .option("--split", o->options.split, "SPLIT", "What a word is: whitespace (default) or 13a")
        .flag("--lower", o->options.lower, "Lower-case the words")
        .option("--min-count", o->minCount, "N", "Of the vocabulary that is told (default 2)")
        .examples("heddle data inspect train.en.gz train.de.gz\nheddle data inspect corpus.txt --lower --json")
        .action([o](Context& context) { return inspect(*o, context); });
}

}  // namespace heddle::app
