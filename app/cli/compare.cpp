// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/comparison.h"
#include "app/cli/documents.h"
#include "app/cli/write_file.h"
#include "app/session/runs/find_run.h"
#include "app/study/planned_runs.h"
#include "engine/base/error.h"
#include "engine/base/json.h"

#include <algorithm>
#include <optional>
#include <ostream>

namespace heddle::app {
namespace {

struct CompareOptions {
    std::vector<std::string> runs;
    std::string baseline, svg, table, scaling, metric;
    bool texts = false, items = false;
};

int compare(const CompareOptions& options, const Context& context) {
    if (options.texts) return compareTexts(options.runs, context);
    if (options.items) return compareItems(options.runs, options.metric, context);
    if (!options.metric.empty()) throwUsage("--metric needs --items", "heddle compare", "add --items, or remove --metric");
    const auto format = options.table.empty() ? std::nullopt : tableFormatOf(options.table);
    if (!options.table.empty() && !format)
        throw Error(ErrorCode::Usage, "unsupported table format", options.table, "end the name with .csv, .md, .tex or .tsv");
    if (!options.scaling.empty()) requireScaling(options.scaling);
    const auto query = openDatabase(context);
    std::vector<storage::RunRecord> runs;
    const auto add = [&](const std::string& text) {
        auto run = findRun(*query, text);
        run.state = shownState(run, context.database);
        const auto same = std::find_if(runs.begin(), runs.end(), [&](const auto& r) { return r.id == run.id; });
        const auto place = static_cast<std::size_t>(same - runs.begin());
        if (same == runs.end()) runs.push_back(std::move(run));
        return place;
    };
    for (const auto& text : options.runs) add(text);
    const std::size_t baseline = options.baseline.empty() ? 0 : add(options.baseline);
    if (runs.size() < 2)
        throw Error(ErrorCode::Usage, "compare needs two different runs", "compare",
                    "heddle runs list shows the runs of the database");
    const Comparison comparison = compareRuns(*query, runs, baseline);
    const auto scaling = options.scaling.empty() ? std::nullopt : std::optional(scalingOf(comparison, options.scaling, *query));
    if (context.json) {
        Json document = comparisonDocument(comparison, *query, context.database);
        if (scaling) document["scaling"] = scalingDocument(*scaling);
        context.print(document);
    } else {
        context.out << comparisonText(comparison) << (scaling ? scalingText(*scaling) : "");
    }
    if (!options.svg.empty()) {
        writeFile(options.svg, svgPlot(comparisonPlot(comparison, *query)));
        context.err << "curves in " << options.svg << "\n";
    }
    if (format) {
        writeFile(options.table, tableText(groupsTable(comparison), *format));
        context.err << "table in " << options.table << "\n";
    }
    return 0;
}

}  // namespace

void addCompare(CommandBuilder& root) {
    auto o = std::make_shared<CompareOptions>();
    root.command("compare", "Put runs side by side: spec differences, metrics, curves")
        .positionals("RUN", o->runs, "Ids, unique prefixes or unique names; two or more. With --texts or --items: files")
        .option("--baseline", o->baseline, "RUN", "The run the others are compared with (default: the first)")
        .option("--svg", o->svg, "FILE", "Draw the curves into an SVG file")
        .option("--table", o->table, "FILE", "Write the groups' means into a .csv, .md, .tex (booktabs) or .tsv file")
        .flag("--texts", o->texts,
              "Compare outputs in files, a sentence a line: REFERENCE BASE OTHER...; BLEU and chrF with sacreBLEU's paired "
              "bootstrap and randomisation, which cover test sentences alone")
        .flag(
            "--items", o->items,
            "Compare outputs of several seeds in files: BASE=FILE,FILE OTHER=FILE,FILE: accuracy of tables of heddle classify "
            "--predictions; with a REFERENCE before them BLEU of texts. Covers seeds and test items together")
        .excludes("--items", "--texts")
        .option(
            "--metric", o->metric, "NAME",
            "With --items: bleu (the default) or chrf of texts; accuracy (the default) or f1 of predictions: of two classes "
            "that of the second one, of more the macro average")
        .excludes("--texts", "--metric")
        .option("--scaling", o->scaling, "SIZE",
                "Power law of the loss over the groups' sizes: parameters, or flops (of training, for one token)")
        .excludes("--texts", "--scaling")
        .excludes("--items", "--scaling")
        .excludes("--texts", "--baseline")
        .excludes("--items", "--baseline")
        .excludes("--texts", "--svg")
        .excludes("--items", "--svg")
        .excludes("--texts", "--table")
        .excludes("--items", "--table")
        .examples(
            "heddle compare base full\n"
            "heddle compare 3f2a 77b0 91cc --baseline 3f2a --svg curves.svg\n"
            "heddle compare --texts test.de base.hyp full.hyp\n"
            "heddle compare --items test.de base=b1.hyp,b2.hyp full=f1.hyp,f2.hyp\n"
            "heddle compare small medium large --scaling parameters")
        .action([o](Context& context) { return compare(*o, context); });
}

}  // namespace heddle::app
