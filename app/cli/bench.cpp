// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench_rows.h"
#include "app/cli/commands.h"
#include "app/cli/spec_source.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/cost.h"

#include <fmt/format.h>

#include <ostream>

namespace heddle::app {
namespace {

int benchTrain(const BenchOptions& options, const Context& context) {
    const BenchSettings& settings = options.settings;
    checkCounts(settings);
    const auto workloads = chosenWorkloads(options);
    std::vector<Json> rows;
    if (workloads.size() == 1) {
        rows.push_back(measureInThisProcess(workloads.front(), settings, context));
        saveRow(rows.back(), 1, settings);
    } else {
        for (const std::string& workload : workloads) {
            context.err << workload << std::endl;
            try {
                rows.push_back(measureInNewProcess(workload, settings));
            } catch (const Error& error) {
                rows.push_back(failureRow(workload, kHeddle, error));
            }
            saveRow(rows.back(), 1, settings);
        }
    }
    return printRows(std::move(rows), {}, settings, context);
}

struct StepOptions {
    std::string spec;
    std::vector<std::string> set;
    std::optional<std::int64_t> repeats;
};

/// Times the training steps of a run that is not trained yet.
int benchStep(const StepOptions& options, const Context& context) {
    const RunSpec run = readRunSpec(options.spec, options.set);
    BenchSettings settings;
    settings.device = run.train.device;
    settings.precision = run.train.precision == Precision::Auto ? "" : wordOf(run.train.precision);
    settings.nondeterministic = !run.train.deterministic;
    if (run.train.threads > 0) settings.threads = run.train.threads;
    settings.repeats = options.repeats;
    checkCounts(settings);
    const Workload workload = stepWorkload(run);
    const std::vector<Json> rows{measureInThisProcess(workload, settings, context)};
    context.print({{"schema", "heddle.bench_step/1"}, {"row", rows.front()}}, rowsText(rows));
    return 0;
}

int listWorkloads(const Context& context) {
    Table table({"workload", "parameters", "what it is"});
    table.right({1});
    Json all = Json::array();
    for (const std::string& name : workloadNames()) {
        const Workload workload = findWorkload(name, WorkloadSize::Full);
        const std::int64_t parameters = countCost(workload.spec.variant.resolve()).parameters;
        table.add({name, countText(parameters), workload.summary});
        all.push_back({{"workload", name}, {"parameters", parameters}, {"summary", workload.summary}});
    }
    context.print({{"schema", "heddle.workloads/1"}, {"workloads", all}}, table.text());
    return 0;
}

}  // namespace

void addBench(CommandBuilder& root) {
    auto bench = root.command("bench", "Measure how fast this machine trains");
    bench.command("workloads", "What can be measured").action([](Context& context) { return listWorkloads(context); });
    auto step = std::make_shared<StepOptions>();
    bench.command("step", "Time the training steps of a run spec on made-up text of its batch size, before it is trained")
        .spec(step->spec)
        .set(step->set)
        .option("--repeats", step->repeats, "N", "Repeats (default: 3, on a GPU 5)")
        .examples("heddle bench step mine.json\nheddle bench step eau-full --set dims.vocab_src=8000 --set dims.vocab_tgt=8000")
        .action([step](Context& context) { return benchStep(*step, context); });
    auto o = std::make_shared<BenchOptions>();
    auto train = bench.command("train", "Time whole training steps of fixed models");
    addBenchOptions(train, *o)
        .option("--repeats", o->settings.repeats, "N", "Repeats (default: 3, on a GPU 5)")
        .examples("heddle bench train W1 --small\nheddle bench train --all --json > speed.json")
        .action([o](Context& context) { return benchTrain(*o, context); });
}

}  // namespace heddle::app
