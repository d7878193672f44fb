// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/documents.h"
#include "app/cli/spec_source.h"
#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/suggestion.h"
#include "engine/data/inspect/inspect.h"
#include "engine/data/loading/run_data.h"
#include "engine/data/readers/recognise.h"
#include "engine/spec/data_files.h"
#include "engine/spec/task_kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ostream>

namespace heddle::app {
namespace {

struct InspectArguments {
    std::vector<std::string> paths;
    InspectOptions options;
    std::string split;  ///< empty: default of each format
    std::optional<std::int64_t> minCount;
    bool skipBadLines = false;
};

int inspect(InspectArguments arguments, const Context& context) {
    InspectOptions& options = arguments.options;
    if (arguments.minCount) options.minCount = *arguments.minCount;
    if (arguments.skipBadLines) options.onBadLine = OnBadLine::Skip;
    if (!arguments.split.empty()) options.split = options.chineseSplit = arguments.split;
    if (options.split != "auto" && options.split != "whitespace" && options.split != "13a" && options.split != "characters")
        throwUsage("unknown split \"" + options.split + "\"", "--split", "auto, whitespace, 13a or characters");
    std::vector<std::string> formats = dataFormats();
    formats.insert(formats.begin(), "auto");
    if (!contains(formats, options.format))
        throwUsage("unknown format \"" + options.format + "\"", "--format", suggestion(options.format, formats));
    const DataReport report = inspectFiles(arguments.paths, options);
    context.print(inspectDocument(report), inspectText(report));
    return 0;
}

struct SplitArguments {
    std::string spec;
    std::vector<std::string> set;
    bool list = false;
};

/// Prints one example per line: its split, its number in the training files (from 1), its text.
void printExamples(const SplitExamples& splits, const Context& context) {
    const auto print = [&](const char* name, const std::vector<std::int64_t>& numbers, const std::vector<Example>& examples) {
        const bool hasTexts = numbers.size() == examples.size();  // data.limit and data.max_words drop some
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const std::string text = !hasTexts                   ? ""
                                     : examples[i].words.empty() ? examples[i].first
                                                                 : fmt::format("{}", fmt::join(examples[i].words, " "));
            context.lines << fmt::format("{}\t{}\t{}\n", name, numbers[i] + 1, text);
        }
    };
    print("train", splits.drawn->train, splits.train);
    print("valid", splits.drawn->valid, splits.valid);
    print("test", splits.drawn->test, splits.test);
}

int split(const SplitArguments& arguments, const Context& context) {
    const RunSpec spec = readRunSpec(arguments.spec, arguments.set);
    if (taskKind(spec.data.task).input == TaskKind::Input::Image)
        throwUsage("images cannot be listed", "data.task", "use a spec whose task reads text");
    requireDataFiles(spec.data);
    RunData data;
    const DataFolders noFolders;
    const std::function<bool()> never;
    const SplitExamples splits = readSplits({spec, noFolders, never, 0}, data);
    if (arguments.list && !splits.drawn)
        throwUsage("every split has its own file, so there is no random split to list", "--list",
                   "set data.split.valid or data.split.test, and no file for that split");
    if (context.json) {
        const auto from1 = [](std::vector<std::int64_t> numbers) {
            for (std::int64_t& number : numbers) ++number;
            return numbers;
        };
        Json document{
            {"schema", "heddle.split/1"},
            {"seed", spec.data.generated.seed},
            {"counts", {{"train", splits.train.size()}, {"valid", splits.valid.size()}, {"test", splits.test.size()}}},
            {"notes", data.notes},
            {"warnings", warningTexts(data.warnings)}};
        if (splits.drawn)
            document["examples"] = {{"train", from1(splits.drawn->train)},
                                    {"valid", from1(splits.drawn->valid)},
                                    {"test", from1(splits.drawn->test)}};
        context.print(document);
        return 0;
    }
    context.err << warningsText(warningTexts(data.warnings));
    if (arguments.list)
        printExamples(splits, context);
    else
        context.out << fmt::format("train {}\nvalid {}\ntest {}\n", splits.train.size(), splits.valid.size(),
                                   splits.test.size());
    return 0;
}

void addSplit(CommandBuilder& data) {
    auto o = std::make_shared<SplitArguments>();
    data.command("split", "Tell which examples data.split puts where")
        .positional("SPEC", o->spec, "A JSON file (run spec), or the name of a preset")
        .set(o->set)
        .flag("--list", o->list, "Print one example a line: split, number in the training files from 1, text")
        .examples(
            "heddle data split mine.json --set data.split.valid=0.1\n"
            "heddle data split mine.json --list | grep ^valid > held-out.tsv")
        .action([o](Context& context) { return split(*o, context); });
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
                "clue/tnews, snli, conll, squad, tsv, csv, jsonl, tsv/pairs, …")
        .flag("--skip-bad-lines", o->skipBadLines, "Leave out and count lines that are not of the format, instead of stopping")
        .option("--split", o->split, "SPLIT",
                "What a word is: whitespace, 13a or characters (default: whitespace, or characters where a text has no spaces)")
        .option("--text-column", o->options.columns.text, "NAME",
                "tsv, csv, jsonl: the column of the text (a name, or a number)")
        .option("--second-column", o->options.columns.second, "NAME", "The column of the second text of a pair")
        .option("--label-column", o->options.columns.label, "NAME", "The column of the label")
        .flag("--lower", o->options.lower, "Lower-case the words")
        .option("--min-count", o->minCount, "N", "Minimum count of vocabulary entries (default 2)")
        .examples(
            "heddle data inspect train.en.gz train.de.gz\nheddle data inspect corpus.txt --lower --json\n"
            "heddle data inspect CoLA/train.tsv CoLA/dev.tsv\nheddle data inspect labelled.txt --format tsv --skip-bad-lines")
        .action([o](Context& context) { return inspect(*o, context); });
    addSplit(data);
}

}  // namespace heddle::app
