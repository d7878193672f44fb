// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/run_fields.h"
#include "engine/spec/run_spec.h"
#include "engine/spec/schema_builders.h"

namespace heddle {
namespace {

using namespace schema;

constexpr Range kCount{0, 1e12};  // steps, epochs, sentences; 0 usually switches off
constexpr Range kAtLeastOne{1, 1e12};

FieldSchema files(const std::string& key, const std::string& use) {
    return object(key, use + " Plain text or .gz, UTF-8, one sentence a line.",
                  {text("source", "File in the source language; relative paths start at the spec's folder."),
                   text("target", "File in the target language, line by line the translation.")});
}

FieldSchema tokenizerSchema() {
    return object("tokenizer", "How lines become vocabulary entries; trained on the training split alone.",
                  {choice("kind", {"words", "sentencepiece"}, "Whole words, or subword pieces."),
                   choice("split", {"whitespace", "13a"}, "words: what separates words."),
                   flag("lower", "Lower-case everything; BLEU is then scored lower-cased too."),
                   integer("min_count", {1, 1e9}, "occurrences", "words: rarer types become <unk>."),
                   choice("model", {"unigram", "bpe"}, "sentencepiece: how pieces are found."),
                   integer("vocab_size", {16, 1 << 24}, "pieces", "sentencepiece: size of a vocabulary."),
                   flag("shared", "One vocabulary for both sides.")});
}

FieldSchema dataSchema() {
    return object("data", "What is read.",
                  {files("train", "Training pairs."), files("valid", "Validation pairs."), files("test", "Test pairs."),
                   tokenizerSchema(),
                   integer("max_tokens", kCount, "tokens", "Longer training pairs are dropped and counted; 0: dims.max_len."),
                   integer("limit", kCount, "pairs", "Read only the first so many training pairs; 0: all.")});
}

FieldSchema optimizerSchema() {
    FieldSchema betas = field("betas", FieldSchema::Type::List, "Decay of the two moment averages.");
    betas.fields = {number("beta", {0, 0.999999}, "", "Decay of one moment average.")};
    return object("optimizer", "What turns gradients into updates.",
                  {choice("kind", {"adam", "adamw"}, "adamw: weight decay apart from the gradient."), betas,
                   number("eps", {1e-16, 1}, "", "Added to the root of the second moment."),
                   number("weight_decay", {0, 10}, "", "Strength of weight decay; 0: off.")});
}

FieldSchema scheduleSchema() {
    return object(
        "schedule", "How the learning rate moves.",
        {choice("kind", {"constant", "noam", "noam_peak", "constant_after_warmup"},
                "noam: factor · d^-½ · min(step^-½, step · warmup^-1½); noam_peak: the same shape with its peak at lr."),
         integer("warmup", {1, 1e9}, "steps", "Length of the rise."),
         number("factor", {1e-9, 1e9}, "", "noam: scale of the whole curve.")});
}

FieldSchema trainSchema() {
    return object("train", "How the model is trained.",
                  {optimizerSchema(), number("lr", {0, 100}, "", "Learning rate at its highest; schedule noam ignores it."),
                   scheduleSchema(),
                   integer("epochs", kCount, "epochs",
                           "Stop after so many passes over the data; 0: no limit by it (default when steps is given)."),
                   integer("steps", kCount, "steps", "Stop after so many updates; 0: no limit by it."),
                   object("batch", "Size of a micro-batch; one of the two.",
                          {integer("tokens", kCount, "tokens",
                                   "Padded tokens of the longer side; 0 (and the default) when sentences is given."),
                           integer("sentences", kCount, "sentences", "Sentence pairs; 0: tokens decide.")}),
                   integer("accumulate", {1, 1 << 20}, "micro-batches", "Micro-batches whose gradients make one update."),
                   number("clip", {0, 1e9}, "", "Longest global gradient norm; 0: no clipping."),
                   number("label_smoothing", {0, 0.99}, "", "Probability taken from the reference token and spread over all."),
                   choice("precision", {"fp32", "bf16"}, "bf16: matrix products in bfloat16 (autocast), weights in fp32."),
                   flag("deterministic", "Equal spec and seed give equal bits; false allows faster kernels."),
                   object("early_stopping", "When to stop before the end.",
                          {choice("metric", {"loss", "bleu", "accuracy"},
                                  "The validation metric that must improve; also picks the best checkpoint."),
                           integer("patience", kCount, "evaluations", "Stop after so many without improvement; 0: off.")}),
                   integer("checkpoint_every", kCount, "steps",
                           "Write a checkpoint every so many updates; 0: only at the start, the best and the end."),
                   integer("keep_last", kAtLeastOne, "checkpoints", "Regular checkpoints to keep."),
                   integer("threads", {0, 4096}, "threads", "CPU threads; 0: one a physical core."),
                   text("device", "auto, cpu, cuda or cuda:N; auto: CUDA where there is one.")});
}

FieldSchema evaluateSchema() {
    return object(
        "evaluate", "When and how validation is scored.",
        {integer("every_epochs", kCount, "epochs", "Evaluate after every so many epochs; 0: not by epochs."),
         integer("every_steps", kCount, "steps", "Evaluate every so many updates as well; 0: off."),
         integer("bleu_sentences", kCount, "sentences", "Decode only the first so many validation pairs; 0: all."),
         integer("bleu_every_epochs", kCount, "epochs", "Decode for BLEU after every so many epochs; 0: only at the end."),
         flag("test_at_end", "Decode the test split with the best checkpoint when training completes.")});
}

FieldSchema recordSchema() {
    return object(
        "record", "What is kept of a run.",
        {integer("scalars_every", kAtLeastOne, "steps", "Loss, accuracy, learning rate, gradient norm, speed."),
         integer("histograms_every", kCount, "steps", "Gate and weight histograms; 0: off."),
         integer("maps_every", kCount, "steps", "Attention of the probe sentences, also at 1, 2, 4, … before; 0: off."),
         integer("probes", {0, 64}, "sentences", "Validation sentences whose attention is kept."),
         number("max_mib", {1, 1 << 20}, "MiB", "Old attention maps are thinned above this size.")});
}

void setDefault(FieldSchema& schema, const Json& defaults) {
    if (schema.type != FieldSchema::Type::Object) {
        schema.defaultValue = defaults;
        return;
    }
    for (auto& member : schema.fields) setDefault(member, defaults.at(member.key));
}

/// Defaults come from the member initialisers of RunSpec: they are written down once.
FieldSchema makeRunSchema() {
    FieldSchema run =
        object("run", "A run: a variant, its data, how it is trained and what is recorded.",
               {integer("schema", {1, 1}, "", "Version of this format."), dataSchema(), trainSchema(), evaluateSchema(),
                recordSchema(), integer("seed", {0, 9007199254740991.0}, "", "Seed of everything random."),
                text("name", "Name of the run.")});
    Json defaults = writeRunFields(RunSpec{});
    defaults["schema"] = 1;
    setDefault(run, defaults);
    return run;
}

}  // namespace

const FieldSchema& runSchema() {
    static const FieldSchema schema = makeRunSchema();
    return schema;
}

}  // namespace heddle
