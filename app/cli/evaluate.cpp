// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/documents.h"
#include "app/cli/open_run.h"
#include "app/cli/spec_source.h"
#include "app/cli/terminal.h"
#include "app/session/engine_loader.h"
#include "app/session/paths.h"
#include "engine/run/engine.h"
#include "engine/spec/printable.h"

#include <fmt/format.h>

#include <optional>
#include <ostream>

namespace heddle::app {
namespace {

struct EvaluateOptions {
    ModelChoice model;
    std::string split = "valid";
    std::vector<std::string> set;
    std::optional<std::int64_t> sentences;
    bool noDecoding = false;
};

Json reportDocument(const EvaluationReport& report) {
    Json values = Json::array(), samples = Json::array();
    for (const auto& value : report.measured.values)
        values.push_back({{"metric", value.metric}, {"value", value.value}, {"n", value.n}, {"signature", value.signature}});
    for (const SampleText& sample : report.samples)
        samples.push_back({{"index", sample.index},
                           {"source", sample.source},
                           {"reference", sample.reference},
                           {"hypothesis", sample.hypothesis}});
    return {{"split", report.measured.split},
            {"seconds", report.measured.seconds},
            {"values", values},
            {"samples", samples},
            {"warnings", report.warnings}};
}

std::string reportText(const EvaluationReport& report) {
    Table table({"metric", "value", "n", "signature"});
    table.right({1, 2});
    for (const auto& value : report.measured.values)
        if (!isPart(value.metric)) table.add({value.metric, numberText(value.value), countText(value.n), value.signature});
    return table.text();
}

int evaluate(const EvaluateOptions& options, const Context& context) {
    const ChosenCheckpoint chosen = chooseCheckpoint(options.model.run, options.model.checkpoint, context);
    EvaluationRequest request;
    request.spec = readRunSpec(chosen.run, options.set);
    request.checkpointFolder = chosen.folder();
    request.cacheFolder = defaultCacheFolder();
    request.split = options.split;
    request.decode = !options.noDecoding;
    request.sentences = options.sentences.value_or(0);
    request.device = options.model.device;
    const EvaluationReport report = loadEngine()->evaluate(request);
    if (context.json) {
        Json printed = reportDocument(report);
        printed.update(
            {{"schema", "heddle.evaluation/1"}, {"run", chosen.run.id}, {"step", chosen.record.step}, {"set", options.set}});
        context.print(printed);
        return 0;
    }
    context.err << fmt::format("run {} ({}), step {}, {} split, {}\n", printable(chosen.run.name), chosen.run.id,
                               chosen.record.step, options.split, durationText(report.measured.seconds));
    for (const std::string& assignment : options.set) context.err << "with " << printable(assignment) << "\n";
    for (const std::string& warning : report.warnings) context.err << "warning: " << printable(warning) << "\n";
    context.out << reportText(report);
    return 0;
}

}  // namespace

void addEvaluate(CommandBuilder& root) {
    auto o = std::make_shared<EvaluateOptions>();
    auto command = root.command("evaluate", "Measure a checkpoint on its validation or test data, also under other conditions");
    addModelOptions(command, o->model);
    command.option("--split", o->split, "SPLIT", "valid (default) or test")
        .option("--set", o->set, "PATH=VALUE",
                "Change one value of the run's spec, as long as its parameters stay what they are")
        .option("--sentences", o->sentences, "N", "Decode only the first so many examples (default: all)")
        .flag("--no-decoding", o->noDecoding, "Only what teacher forcing tells")
        .examples(
            "heddle evaluate --run base --split test\n"
            "heddle evaluate --run base --sentences 500   # decode_seconds: what translating the first 500 takes\n"
            "heddle evaluate --run G1 --checkpoint last --set defaults.score.gate.infer=drop\n"
            "heddle evaluate --run mrpc --set data.valid.source=other.tsv --json")
        .action([o](Context& context) { return evaluate(*o, context); });
}

}  // namespace heddle::app
