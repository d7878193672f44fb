// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/documents.h"
#include "app/cli/terminal.h"
#include "app/reports/gradient_norms.h"
#include "app/session/runs/find_run.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>

namespace heddle::app {
namespace {

struct GradientOptions {
    std::string run;
    std::optional<std::int64_t> first, last;
};

Json gradientDocument(const std::string& run, const GradientNorms& norms) {
    Json places = Json::array();
    for (const GradientNorm& norm : norms.places)
        places.push_back({{"path", norm.path},
                          {"mean", norm.mean},
                          {"min", norm.least},
                          {"max", norm.largest},
                          {"share", norm.share},
                          {"n", norm.n}});
    return {{"schema", "heddle.gradients/1"},
            {"run", run},
            {"first_step", norms.firstStep},
            {"last_step", norms.lastStep},
            {"places", places}};
}

std::string gradientText(const GradientNorms& norms) {
    std::string text =
        fmt::format("L2 norm of the gradient before clipping, steps {} to {}; share: of the whole squared norm\n",
                    norms.firstStep, norms.lastStep);
    Table table({"place", "mean", "least", "largest", "share", "steps"});
    for (const GradientNorm& norm : norms.places) {
        const auto depth = static_cast<std::size_t>(std::count(norm.path.begin(), norm.path.end(), '.'));
        table.add({std::string(depth, ' ') + printable(norm.path), numberText(norm.mean), numberText(norm.least),
                   numberText(norm.largest), fmt::format("{:.1f} %", 100 * norm.share), countText(norm.n)});
    }
    return text + table.right({1, 2, 3, 4, 5}).text();
}

int gradients(const GradientOptions& options, const Context& context) {
    const auto query = openDatabase(context);
    const auto run = findRun(*query, options.run);
    StepRange range;
    range.first = options.first.value_or(range.first);
    range.last = options.last.value_or(range.last);
    const GradientNorms norms = gradientNormsOf(*query, run.id, range);
    if (norms.places.empty())
        throw Error(
            ErrorCode::InvalidInput, "no gradient norms of layers are recorded for these steps", "run " + run.id,
            "they are recorded every record.histograms_every steps (0: never); choose other steps, or train the run again");
    context.print(gradientDocument(run.id, norms), gradientText(norms));
    return 0;
}

}  // namespace

void addGradients(CommandBuilder& runs) {
    auto o = std::make_shared<GradientOptions>();
    runs.command("gradients", "Gradient norms of a run: every stack, layer and slot")
        .run(o->run)
        .option("--from", o->first, "STEP", "From this step on (default: the first)")
        .option("--to", o->last, "STEP", "Up to this step (default: the last)")
        .examples("heddle runs gradients 3f2a\nheddle runs gradients base --from 1000 --json")
        .action([o](Context& context) { return gradients(*o, context); });
}

}  // namespace heddle::app
