// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/documents.h"
#include "app/cli/inspect_command.h"
#include "app/cli/inspect_report.h"
#include "app/cli/open_run.h"
#include "app/cli/rank_progress.h"
#include "app/cli/signals.h"
#include "app/cli/write_file.h"
#include "app/session/runs/open_inspection.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/run/inspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <ostream>
#include <set>

namespace heddle::app {
namespace {

/// For a reading of the trained model, which `option` asks for.
void checkReading(const InspectOptions& options, const std::vector<Intervention>& interventions, const std::string& option) {
    if (options.lens && options.labels)
        throwUsage("--lens and --labels are two tables", "--labels", "ask for one after the other");
    if (!interventions.empty() || !options.rank.empty() || !options.ablation.empty() || options.at)
        throwUsage(option + " reads the trained model", option, "remove the interventions and --rank");
    if (options.decode || !options.text.empty())
        throwUsage(option + " measures examples under teacher forcing", option, "remove --decode and --text");
}

/// For --patch-from and --corrupt.
void checkPatch(const InspectOptions& options, const std::vector<Intervention>& interventions) {
    const bool fromOther = !options.patchFrom.empty(), fromText = !options.corrupt.empty();
    if (!fromOther && !fromText) return;
    const std::string option = fromOther ? "--patch-from" : "--corrupt";
    if (fromOther && (fromText || !options.text.empty()))
        throwUsage("--patch-from measures examples", "--patch-from", "remove --text and --corrupt");
    if (fromText && options.text.empty())
        throwUsage("--corrupt needs the text that it is a change of", "--corrupt", "give that with --text");
    if (fromText && options.examples)
        throwUsage("--corrupt measures a pair of texts, not examples", "--examples", "remove --examples or --corrupt");
    if (!interventions.empty() || !options.rank.empty() || !options.ablation.empty() || options.at || options.decode)
        throwUsage(option + " takes each part in turn from another pass", option,
                   "remove the interventions, --rank and --decode");
    if (options.lens || options.labels) throwUsage(option + " is a table of its own", option, "remove --lens and --labels");
}

/// Throws Error(Usage) for options that contradict each other.
void checkOptions(const InspectOptions& options, const std::vector<Intervention>& interventions) {
    if (options.examples && *options.examples < 0)
        throwUsage("the number of examples must not be negative", "--examples", "give 1 or more, or 0 for all");
    checkPatch(options, interventions);
    if (!options.plot.empty() && (options.rank.empty() || options.ablation != "mean"))
        throwUsage("--plot draws a ranking by mean ablation", "--plot", "add --rank heads or gates, and --ablation mean");
    if (!options.alignments.empty() && !options.labels)
        throwUsage("--alignments needs --labels", "--alignments", "add --labels");
    if (options.lens) return checkReading(options, interventions, "--lens");
    if (options.checkpoint == "all" || options.checkpoint.find(',') != std::string::npos)
        throwUsage("only the logit lens reads several checkpoints", "--checkpoint", "add --lens, or name one checkpoint");
    if (options.labels) return checkReading(options, interventions, "--labels");
    if (options.rank.empty()) {
        if (!options.ablation.empty())
            throwUsage("--ablation needs --rank", "--ablation",
                       "add --rank heads or --rank gates, or use --mean or --resample");
        if (options.at) throwUsage("--at needs --rank gates", "--at", "add --rank gates, or clamp one gate with --clamp");
        return;
    }
    if (options.rank != "heads" && options.rank != "gates")
        throwUsage("only heads and gates can be ranked", "--rank", "--rank heads, or --rank gates");
    if (!interventions.empty())
        throwUsage("--rank cannot be combined with interventions", "--rank", "remove the interventions");
    if (options.decode || !options.text.empty())
        throwUsage("--rank measures only loss and accuracy", "--rank", "remove --decode and --text");
    static const std::set<std::string> known{"", "zero", "mean", "resample"};
    if (!known.contains(options.ablation)) throwUsage("unknown ablation", "--ablation", "use zero, mean or resample");
    if (options.ablation == "zero" && options.rank == "gates")
        throwUsage("--rank gates needs a value", "--ablation", "give the value with --at 0, or choose mean or resample");
    if (options.at && !options.ablation.empty())
        throwUsage("--at cannot be combined with --ablation mean or resample", "--at", "remove --at or --ablation");
    if (options.at && options.rank == "heads") throwUsage("--at is for gates only", "--at", "use --rank gates");
}

/// An opened run.
struct Inspected {
    const InspectOptions& options;
    const Context& context;
    ChosenCheckpoint chosen;
    InspectionSession& session;

    Json document(const std::vector<Intervention>& interventions) const {
        Json all = Json::array();
        for (const Intervention& one : interventions) all.push_back(interventionDocument(one));
        Json document = inspectionDocument(chosen);
        document["interventions"] = std::move(all), document["interval"] = intervalDocument();
        return document;
    }
};

/// A label with its probability, or a written text.
std::string outputText(const TextEffect& effect, const std::string& output, const std::vector<float>& probabilities) {
    const auto found = std::find(effect.classes.begin(), effect.classes.end(), output);
    if (found == effect.classes.end() || probabilities.size() != effect.classes.size()) return printable(output);
    const auto at = static_cast<std::size_t>(found - effect.classes.begin());
    return fmt::format("{}  ({})", printable(output), numberText(static_cast<double>(probabilities[at])));
}

int rank(const Inspected& inspected, const SignalWatch& signals) {
    const InspectOptions& options = inspected.options;
    const Context& context = inspected.context;
    RankRequest request;
    request.what = options.rank == "heads" ? RankRequest::What::Heads : RankRequest::What::Gates;
    using Ablation = RankRequest::Ablation;
    request.ablation = options.ablation == "mean"       ? Ablation::Mean
                       : options.ablation == "resample" ? Ablation::Resample
                                                        : Ablation::Value;
    request.gateValue = options.at.value_or(1);
    request.on = examplesOf(options);
    const RankReport report = reportUntilStopped(
        context, signals, request, [&inspected](const RankRequest& asked) { return inspected.session.rank(asked); });
    if (report.all > 0 && context.json) {
        Json printed = inspected.document({});
        printed.update(rankDocument(report));
        printed["rank"]["what"] = options.rank;
        const bool isAtValue = options.rank == "gates" && request.ablation == Ablation::Value;
        if (isAtValue) printed["rank"]["value"] = request.gateValue;
        printed["rank"]["ablation"] = isAtValue ? "value" : options.ablation.empty() ? "zero" : options.ablation;
        if (request.ablation == Ablation::Resample) printed["rank"]["seed"] = kResampleSeed;
        context.print(printed);
    } else if (report.all > 0) {
        noteReport(context, inspected.chosen, report);
        context.out << rankText(report);
    }
    if (!options.plot.empty() && !report.entries.empty()) writeFile(options.plot, massPlot(report));
    return isWhole(report) ? 0 : 128 + signals.received();
}

int effect(const Inspected& inspected, const std::vector<Intervention>& interventions) {
    const auto& [options, context, chosen, session] = inspected;
    const bool isMeasured = options.text.empty() || options.examples || options.decode;
    Json printed = inspected.document(interventions);
    if (!options.text.empty()) {
        const TextEffect outputs = session.outputs({options.text, interventions, {}, examplesOf(options)});
        printed["text"] = textDocument(options.text, outputs);
        if (!context.json) {
            context.out << "trained     " << outputText(outputs, outputs.trained, outputs.trainedProbabilities) << "\n";
            if (!interventions.empty())
                context.out << "intervened  " << outputText(outputs, outputs.intervened, outputs.intervenedProbabilities)
                            << "\n";
            if (isMeasured) context.out << "\n";
        }
    }
    if (isMeasured) {
        EffectRequest request{interventions, examplesOf(options)};
        if (options.decode) request.depth = EffectRequest::Depth::Decoded;
        const EffectReport report = session.effect(request);
        printed.update(effectDocument(report));
        if (!context.json) {
            noteReport(context, chosen, report);
            for (const Intervention& one : interventions)
                context.err << "with " << kindOf(one) << " " << printable(textOf(one)) << "\n";
            context.out << effectText(report);
        }
    }
    if (interventions.empty() && options.text.empty()) {
        printed["targets"] = targetsDocument(session.targets());
        if (!context.json) context.out << targetsText(session.targets());
    }
    if (context.json) context.print(printed);
    return 0;
}

int inspect(const InspectOptions& options, const Context& context) {
    const std::vector<Intervention> interventions = interventionsOf(options.interventions);
    checkOptions(options, interventions);
    if (options.lens) return inspectLens(options, context);
    if (options.labels) return inspectLabels(options, context);
    if (!options.patchFrom.empty()) return inspectPatch(options, context);
    if (!options.corrupt.empty()) return inspectTextPatch(options, context);
    ChosenCheckpoint chosen = chosenCheckpoint(options, context);
    std::optional<SignalWatch> signals;
    if (!options.rank.empty()) signals.emplace();  // elsewhere a signal ends the program: there is nothing to keep
    std::function<bool()> stopRequested;
    if (signals) stopRequested = [&signals] { return signals->received() != 0; };
    const std::shared_ptr<Engine> engine = context.engine();
    const std::unique_ptr<InspectionSession> session = openInspection(*engine, chosen, options.device, stopRequested);
    const Inspected inspected{options, context, std::move(chosen), *session};
    return signals ? rank(inspected, *signals) : effect(inspected, interventions);
}

}  // namespace

ChosenCheckpoint chosenCheckpoint(const InspectOptions& options, const Context& context) {
    const std::string checkpoint = options.step                 ? std::to_string(*options.step)
                                   : options.checkpoint.empty() ? "best"
                                                                : options.checkpoint;
    return chooseCheckpoint(options.run, checkpoint, context);
}

ExampleSet examplesOf(const InspectOptions& options) {
    ExampleSet set;
    set.split = options.split;
    if (options.examples) set.examples = *options.examples;
    return set;
}

std::string examplesText(std::int64_t examples, const std::string& split) {
    return fmt::format("the first {} examples of the {} split", countText(examples), printable(split));
}

void noteOn(const Context& context, const ChosenCheckpoint& chosen, const std::string& what) {
    context.err << fmt::format("{}, step {}: {}\n", printable(titleOf(chosen.run)), chosen.record.step, what);
}

Json inspectionDocument(const ChosenCheckpoint& chosen) {
    return {{"schema", "heddle.inspect/1"}, {"run", chosen.run.id}, {"step", chosen.record.step}};
}

void addInspect(CommandBuilder& root) {
    auto o = std::make_shared<InspectOptions>();
    auto command = root.command("inspect", "Change a part of a trained model and see what it costs; nothing stored is changed");
    command.run(o->run)
        .option("--checkpoint", o->checkpoint, "WHICH",
                "best (default), last, average, or a step; with --lens also several (\"100,last\") or all")
        .option("--step", o->step, "N", "The checkpoint of this step")
        .excludes("--step", "--checkpoint")
        .device(o->device, " (default: auto)");
    addInterventionOptions(command, o->interventions);
    addAblationOptions(command, o->interventions)
        .option("--examples", o->examples, "N", "Measure the first N examples (default: 256; 0: all)")
        .option("--split", o->split, "SPLIT", "valid (default) or test")
        .flag("--decode", o->decode, "Also decode them: BLEU and the outputs before and after")
        .option("--text", o->text, "TEXT",
                "Show the output for this text, before and after; examples are then measured only with --examples or --decode")
        .option("--rank", o->rank, "WHAT",
                "heads: mute each in turn; gates: hold each at --at in turn. What raises the loss most comes first")
        .option("--ablation", o->ablation, "HOW",
                "How --rank changes each: zero (default of heads), mean or resample, as --mean and --resample do")
        .option("--plot", o->plot, "FILE", "With --rank and --ablation mean: draw mass beside change of the loss (SVG)")
        .option("--at", o->at, "V", "The value at which --rank holds gates: 1 (default) as if there were no gate, 0 shut")
        .option("--patch-from", o->patchFrom, "OTHER",
                "Take each head's and sublayer's output in turn from another checkpoint (a step), run or RUN@STEP of the same "
                "shape; a run whose name is a number: RUN@best")
        .option("--corrupt", o->corrupt, "TEXT",
                "With --text: take each output in turn from --text into a pass over this text of the same length")
        .flag("--lens", o->lens,
              "Logit lens: read the state after each layer with the model's final norm and head; of several checkpoints, too")
        .flag("--labels", o->labels, "Score every attention head by what it attends to, and label it")
        .option("--alignments", o->alignments, "FILE",
                "With --labels: alignments of the split's words (Pharaoh format), for alignment error rates")
        .examples(
            "heddle inspect base                       # what can be changed\n"
            "heddle inspect base --mute encoder.layers.0.self:3 --decode\n"
            "heddle inspect base --clamp encoder.layers.0.self.residual.gate=1 --text 'a man sleeps .'\n"
            "heddle inspect base --rank heads --examples 500 --json\n"
            "heddle inspect base --rank gates --ablation mean --plot gates.svg\n"
            "heddle inspect base --lens --checkpoint all\n"
            "heddle inspect base --labels\n"
            "heddle inspect base --patch-from other\n"
            "heddle inspect lm --text 'the cat sees' --corrupt 'the dog sees'")
        .action([o](Context& context) { return inspect(*o, context); });
}

}  // namespace heddle::app
