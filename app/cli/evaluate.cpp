// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/documents.h"
#include "app/cli/open_run.h"
#include "app/cli/spec_source.h"
#include "app/cli/terminal.h"
#include "app/session/process/paths.h"
#include "app/session/requests/averages.h"
#include "app/session/runs/find_run.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/run/engine.h"
#include "engine/spec/task_kinds.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>

namespace heddle::app {
namespace {

struct EvaluateOptions {
    ModelChoice model;
    std::string split;  ///< empty: valid, or the user's files
    std::string source, target, file;
    std::vector<std::string> set;
    std::optional<std::int64_t> sentences, average;
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

/// The user's assignments to the spec; files that the user names replace the run's test split.
std::vector<std::string> assignmentsOf(const EvaluateOptions& options) {
    std::vector<std::string> all = options.set;
    const auto usage = [](const char* what, const char* where, const char* next) {
        throw Error(ErrorCode::Usage, what, where, next);
    };
    if (!options.file.empty() && (!options.source.empty() || !options.target.empty()))
        usage("both a file and a pair of files are named", "--file", "keep one: pairs of lines are --source and --target");
    if (options.source.empty() != options.target.empty())
        usage("one side of a pair is missing", "--source, --target", "name both files");
    const std::string& source = options.file.empty() ? options.source : options.file;
    if (source.empty()) return all;
    if (!options.split.empty()) usage("a split and files are named", "--split", "leave --split out: the files are measured");
    for (const std::string& file : {source, options.target})
        if (!file.empty() && !std::filesystem::is_regular_file(file)) throwInvalid("no such file", file, "correct the path");
    all.push_back("data.test.source=" + source);
    all.push_back("data.test.target=" + options.target);
    return all;
}

/// Whether --set names other files for the splits than the run has.
bool setsOtherFiles(const RunSpec& spec, const RunSpec& trained) {
    const auto filesOf = [](const RunSpec& run) {
        std::vector<std::string> files;
        for (const ParallelFiles* split : {&run.data.train, &run.data.valid, &run.data.test})
            files.insert(files.end(), {split->source, split->target});
        return files;
    };
    return filesOf(spec) != filesOf(trained);
}

/// What was measured, for people.
void printMeasured(const ChosenCheckpoint& chosen, const std::string& of, const EvaluationReport& report,
                   const Context& context) {
    context.err << fmt::format(
        "run {} ({}), {}, {}, {}\n", printable(chosen.run.name), chosen.run.id,
        storage::isAverage(chosen.record.kind) ? chosen.record.kind : fmt::format("step {}", chosen.record.step), printable(of),
        durationText(report.measured.seconds));
}

/// Averages the weights of the run's last checkpoints, evaluates the average and records its values.
int evaluateLast(const EvaluateOptions& options, const Context& context) {
    const storage::RunRecord run = findRun(*openDatabase(context), options.model.run);
    const std::shared_ptr<Engine> engine = context.engine();
    AverageEvaluation asked{run.id, *options.average, options.split.empty() ? "valid" : options.split, options.model.device};
    const auto owner = ownDatabase(context.database, "heddle evaluate", "");
    const EvaluatedAverage done = evaluateAverage(context.database, changerOf(*owner), *engine, asked);
    if (context.json) {
        Json printed = reportDocument(done.report);
        printed.update({{"schema", "heddle.evaluation/1"},
                        {"run", run.id},
                        {"step", done.checkpoint.step},
                        {"checkpoint", done.checkpoint.kind},
                        {"set", Json::array()},
                        {"other_files", false}});
        context.print(printed);
        return 0;
    }
    printMeasured({run, done.checkpoint, "", {}}, asked.split + " split", done.report, context);
    context.err << "recorded as split " << done.report.measured.split << "\n";
    context.out << metricsText("value", done.report.measured.values) << warningsText(done.report.warnings);
    return 0;
}

int evaluate(const EvaluateOptions& options, const Context& context) {
    if (options.average) return evaluateLast(options, context);
    const std::vector<std::string> assignments = assignmentsOf(options);
    const ChosenCheckpoint chosen = chooseCheckpoint(options.model.run, options.model.checkpoint, context);
    EvaluationRequest request;
    const bool isNamed = assignments.size() > options.set.size();
    const std::string task = readRunSpec(chosen.run, options.set).data.task;
    if (isNamed && taskKind(task).readsPairs() == options.target.empty())
        throw Error(ErrorCode::Usage, "a run of task " + task + " reads another kind of file", "--file, --source",
                    options.target.empty() ? "use --source and --target" : "use --file");
    request.spec = readRunSpec(chosen, assignments);
    const RunSpec trained = readRunSpec(chosen);
    request.spec.train.ema = trained.train.ema;  // the file's weights are of this average, and signatures name it
    request.otherFiles = isNamed || setsOtherFiles(request.spec, trained);
    request.checkpointFolder = chosen.folder();
    request.cacheFolder = defaultCacheFolder();
    request.split = isNamed ? "test" : options.split.empty() ? "valid" : options.split;
    request.decode = !options.noDecoding;
    request.sentences = options.sentences.value_or(0);
    request.device = options.model.device;
    const EvaluationReport report = context.engine()->evaluate(request);
    if (context.json) {
        Json printed = reportDocument(report);
        printed.update({{"schema", "heddle.evaluation/1"},
                        {"run", chosen.run.id},
                        {"step", chosen.record.step},
                        {"checkpoint", chosen.record.kind},
                        {"set", assignments},
                        {"other_files", request.otherFiles}});
        context.print(printed);
        return 0;
    }
    const std::string measured = !isNamed ? request.split + (request.otherFiles ? " split, other files" : " split")
                                 : options.target.empty() ? options.file
                                                          : options.source + " and " + options.target;
    printMeasured(chosen, measured, report, context);
    for (const std::string& assignment : options.set) context.err << "with " << printable(assignment) << "\n";
    context.out << metricsText("value", report.measured.values) << warningsText(report.warnings);
    return 0;
}

}  // namespace

void addEvaluate(CommandBuilder& root) {
    auto o = std::make_shared<EvaluateOptions>();
    auto command = root.command("evaluate", "Measure a checkpoint on its validation or test data, also under other conditions");
    addModelOptions(command, o->model);
    command.option("--split", o->split, "SPLIT", "valid (default) or test")
        .option("--source", o->source, "FILE",
                "Measure on your own pairs of lines instead: the source side (translation, images)")
        .option("--target", o->target, "FILE", "The target side of those pairs (images: labels)")
        .option("--file", o->file, "FILE", "Measure on your own file instead, in the format of the run (data.format)")
        .option("--set", o->set, "PATH=VALUE",
                "Change one value of the run's spec, as long as its parameters stay what they are")
        .option("--sentences", o->sentences, "N", "Decode only the first so many examples (default: all)")
        .flag("--no-decoding", o->noDecoding, "Measure only with teacher forcing")
        .option("--average", o->average, "K",
                "Measure the mean of the run's last K checkpoints instead, and record its values");
    for (const char* other : {"--checkpoint", "--source", "--target", "--file", "--set", "--sentences", "--no-decoding"})
        command.excludes("--average", other);
    command
        .examples(
            "heddle evaluate --run base --split test\n"
            "heddle evaluate --run base --sentences 500   # decode_seconds: what translating the first 500 takes\n"
            "heddle evaluate --run G1 --checkpoint last --set defaults.score.gate.infer=drop\n"
            "heddle evaluate --run base --source mine.en --target mine.de\n"
            "heddle evaluate --run mrpc --file other.tsv --json\n"
            "heddle evaluate --run base --average 5 --split test")
        .action([o](Context& context) { return evaluate(*o, context); });
}

}  // namespace heddle::app
