// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/comparison.h"
#include "app/cli/documents.h"
#include "app/cli/write_file.h"
#include "app/session/runs/find_run.h"
#include "engine/base/error.h"

#include <algorithm>
#include <ostream>

namespace heddle::app {
namespace {

struct CompareOptions {
    std::vector<std::string> runs;
    std::string baseline, svg, table;
};

int compare(const CompareOptions& options, const Context& context) {
    const auto format = options.table.empty() ? std::nullopt : tableFormatOf(options.table);
    if (!options.table.empty() && !format)
        throw Error(ErrorCode::Usage, "no table has this format", options.table, "end the name with .csv, .md, .tex or .tsv");
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
        throw Error(ErrorCode::Usage, "two different runs are needed", "compare",
                    "heddle runs list shows the runs of the database");
    const Comparison comparison = compareRuns(*query, runs, baseline);
    if (context.json)
        context.print(comparisonDocument(comparison, *query, context.database));
    else
        context.out << comparisonText(comparison);
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
        .positionals("RUN", o->runs, "Ids, unique prefixes or unique names; two or more")
        .option("--baseline", o->baseline, "RUN", "The run the others are compared with (default: the first)")
        .option("--svg", o->svg, "FILE", "Draw the curves into an SVG file")
        .option("--table", o->table, "FILE", "Write the groups' means into a .csv, .md, .tex (booktabs) or .tsv file")
        .examples(
            "heddle compare base full\n"
            "heddle compare 3f2a 77b0 91cc --baseline 3f2a --svg curves.svg")
        .action([o](Context& context) { return compare(*o, context); });
}

}  // namespace heddle::app
