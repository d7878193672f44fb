// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "engine/data/inspect.h"
#include "engine/data/recognise.h"
#include "engine/spec/error.h"
#include "engine/spec/field_schema.h"

#include <algorithm>
#include <ostream>

namespace heddle::app {
namespace {

struct InspectArguments {
    std::vector<std::string> paths;
    InspectOptions options;
    std::string split;  ///< empty: as each format has it
    std::optional<std::int64_t> minCount;
    bool skipBadLines = false;
};

[[noreturn]] void throwUsage(const std::string& what, const std::string& where, const std::string& next) {
    throw Error(ErrorCode::Usage, what, where, next);
}

int inspect(InspectArguments arguments, const Context& context) {
    InspectOptions& options = arguments.options;
    if (arguments.minCount) options.minCount = *arguments.minCount;
    if (arguments.skipBadLines) options.onBadLine = OnBadLine::Skip;
    if (!arguments.split.empty()) options.split = options.chineseSplit = arguments.split;
    if (options.split != "whitespace" && options.split != "13a" && options.split != "characters")
        throwUsage("unknown split \"" + options.split + "\"", "--split", "whitespace, 13a or characters");
    std::vector<std::string> formats = dataFormats();
    formats.insert(formats.begin(), "auto");
    if (std::find(formats.begin(), formats.end(), options.format) == formats.end())
        throwUsage("unknown format \"" + options.format + "\"", "--format", suggestion(options.format, formats));
    const Json report = inspectFiles(arguments.paths, options);
    if (context.json)
        context.print(report);
    else
        context.out << inspectText(report);
    return 0;
}

}  // namespace

void addData(CommandBuilder& root) {
    CommandBuilder data = root.command("data", "Data files: what is in them, and whether they fit together");
    auto o = std::make_shared<InspectArguments>();
    data.command(
            "inspect",
            "Check and describe data files (plain or .gz): text, GLUE, SNLI, CLUE, CoNLL, SQuAD, .sgm, wiki.*.tokens, IDX, "
            "word vectors")
        .positionals("PATH", o->paths, "Files; two sides of a text are checked as a pair, splits for what they share")
        .option("--format", o->options.format, "ID",
                "What the files are, where contents and name do not tell: text, wikitext, sgm, idx, vectors, glue/mrpc, "
                "clue/tnews, snli, conll, squad, tsv, tsv/pairs, …")
        .flag("--skip-bad-lines", o->skipBadLines, "Leave out and count lines that are not of the format, instead of stopping")
        .option("--split", o->split, "SPLIT",
                "What a word is: whitespace (default), 13a, or characters (default for CLUE's files)")
        .flag("--lower", o->options.lower, "Lower-case the words")
        .option("--min-count", o->minCount, "N", "Of the vocabulary that is told (default 2)")
        .examples(
            "heddle data inspect train.en.gz train.de.gz\nheddle data inspect corpus.txt --lower --json\n"
            "heddle data inspect CoLA/train.tsv CoLA/dev.tsv\nheddle data inspect labelled.txt --format tsv --skip-bad-lines")
        .action([o](Context& context) { return inspect(*o, context); });
}

}  // namespace heddle::app
