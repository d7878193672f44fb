// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench_rows.h"
#include "engine/run/engine.h"
#include "tests/dev/commands.h"
#include "tests/dev/engine/batch_dump.h"
#include "tests/dev/engine/checked.h"

namespace heddle::dev {
namespace {

struct TrainOptions : app::BenchOptions {
    std::string batches;
};

int benchTrain(const TrainOptions& options, const app::Context& context) {
    app::checkCounts(options.settings);
    const BatchDump dump(options.batches);
    const auto engine = context.engine();  // sets up the allocator that training uses
    std::vector<Json> rows;
    for (const std::string& name : app::chosenWorkloads(options)) {
        const auto request = app::benchRequest(app::chosenWorkload(name, options.settings), options.settings, context);
        rows.push_back(app::rowDocument(checkedBench(request, dump.batches(name))));
        rows.back()["batches"] = "file";
        app::saveRow(rows.back(), 1, options.settings);
    }
    return app::printRows(std::move(rows), {}, options.settings, context);
}

}  // namespace

void addTrain(app::CommandBuilder& bench) {
    auto o = std::make_shared<TrainOptions>();
    auto train = bench.command("train", "Time training steps as `heddle bench train` does, on the batches of a file");
    app::addBenchOptions(train, *o)
        .option("--repeats", o->settings.repeats, "N", "Repeats (default: 3, on a GPU 5)")
        .option("--batches", o->batches, "FILE", "A file that peers.py --dump-batches wrote")
        .required("--batches")
        .examples("heddle-dev bench train W1 --batches batches.bin")
        .action([o](app::Context& context) { return benchTrain(*o, context); });
}

}  // namespace heddle::dev
