// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/documents.h"
#include "app/cli/open_run.h"
#include "app/session/requests/averages.h"
#include "app/session/requests/exchange.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {
namespace {

struct WeightsOptions {
    std::string run, path, format, checkpoint = "best", folder, name;
    std::vector<std::string> set;
};

std::optional<PublishedForm> formOf(const std::string& word) {
    if (word.empty()) return std::nullopt;
    const auto form = choiceNamed<PublishedForm>(word);
    if (!form) throwUsage("unknown form \"" + word + "\"", "--format", "use bert or gpt2, or leave it out");
    return form;
}

std::string noteLines(const std::vector<std::string>& notes) {
    std::string text;
    for (const std::string& note : notes) text += printable(note) + "\n";
    return text;
}

int exportWeightsOf(const WeightsOptions& options, const Context& context) {
    const auto form = formOf(options.format);
    const ChosenCheckpoint chosen = chooseCheckpoint(options.run, options.checkpoint, context);
    const ExportedWeights exported = exportModel(chosen, *context.engine(), options.path, form);
    context.print({{"schema", "heddle.weights_export/1"},
                   {"run", chosen.run.id},
                   {"step", chosen.record.step},
                   {"checkpoint", chosen.record.kind},
                   {"path", options.path},
                   {"files", exported.files},
                   {"weights_sha256", exported.weightsSha256},
                   {"notes", exported.notes}},
                  fmt::format("weights of run {}, step {}, written to {}: {}\n{}", titleOf(chosen.run), chosen.record.step,
                              printable(options.path), fmt::join(exported.files, ", "), noteLines(exported.notes)));
    return 0;
}

int importWeightsFrom(const WeightsOptions& options, const Context& context) {
    const std::shared_ptr<Engine> engine = context.engine();
    const auto owner = ownDatabase(context.database, "heddle weights import", "; or import into another --db file");
    const ImportedModel imported = importModel(*owner, *engine, {options.folder, "", options.name, options.set});
    const ImportedWeights& weights = imported.weights;
    context.print({{"schema", "heddle.weights_import/1"},
                   {"run", imported.run},
                   {"name", weights.spec.name},
                   {"task", weights.spec.data.task},
                   {"parameters", weights.parameters},
                   {"weights_sha256", weights.weightsSha256},
                   {"notes", weights.notes}},
                  fmt::format("run {} ({}): task {}, {} parameters\n{}", printable(weights.spec.name), imported.run,
                              weights.spec.data.task, countText(weights.parameters), noteLines(weights.notes)));
    return 0;
}

}  // namespace

void addWeights(CommandBuilder& root) {
    CommandBuilder weights = root.command("weights", "Weights for other programs, and of BERT and GPT-2 (help/exchange.md)");
    auto o = std::make_shared<WeightsOptions>();
    weights.command("export", "Write the weights of a checkpoint as safetensors, with spec and tokenizer beside them")
        .run(o->run)
        .positional("PATH", o->path, "A new folder, or a new FILE.safetensors for the weights alone")
        .option("--checkpoint", o->checkpoint, "WHICH", "best (default), last, average, or a step")
        .option(
            "--format", o->format, "FORM",
            "Write a folder that Hugging Face's transformers read: bert or gpt2; refused where the variant is another model")
        .examples(
            "heddle weights export base base-weights\n"
            "heddle weights export base base.safetensors --checkpoint last\n"
            "heddle weights export my-bert my-bert-hf --format bert")
        .action([o](Context& context) { return exportWeightsOf(*o, context); });
    weights.command("import", "Read a folder of Hugging Face's BERT or GPT-2 as a run with one checkpoint")
        .positional("FOLDER", o->folder, "With config.json, model.safetensors (or its index) and tokenizer.json (or vocab.txt)")
        .option("--name", o->name, "NAME", "Name of the run")
        .required("--name")
        .set(o->set)
        .examples(
            "heddle weights import gpt2 --name gpt2\n"
            "heddle generate --run gpt2 'The capital of France is'\n"
            "heddle weights import bert-base-uncased --name bert\n"
            "heddle fork bert --set data.task=classify --set variant.head.kind=classify --set variant.embed.source=learned "
            "--set data.format=tsv --set data.train.source=train.tsv --name classifier")
        .action([o](Context& context) { return importWeightsFrom(*o, context); });
}

}  // namespace heddle::app
