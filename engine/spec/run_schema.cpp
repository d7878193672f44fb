// SPDX-License-Identifier: Apache-2.0
#include "engine/base/contains.h"
#include "engine/spec/run_fields.h"
#include "engine/spec/run_spec.h"
#include "engine/spec/schedules.h"
#include "engine/spec/schema_builders.h"
#include "engine/spec/task_kinds.h"

namespace heddle {
namespace {

using namespace schema;

constexpr Range kCount{0, 1e12};  // steps, epochs, sentences; 0 usually switches off
constexpr Range kAtLeastOne{1, 1e12};

/// Metrics for early stopping: the loss, or a metric of some task.
std::vector<std::string> stopMetrics() {
    std::vector<std::string> names{"loss"};
    for (const TaskKind& kind : taskKinds())
        for (const std::string& metric : kind.metrics)
            if (!contains(names, metric)) names.push_back(metric);
    return names;
}

FieldSchema files(const std::string& key, const std::string& use) {
    return object(
        key, use + " Plain or .gz; text is UTF-8.",
        {text("source",
              "The file; of pairs the one in the source language, of images the images. Relative paths start "
              "at the spec's folder."),
         text("target", "translation: the file in the target language, line by line the translation; image: the labels.")});
}

std::vector<FieldSchema> tokenizerFields() {
    return {choice("kind", {"auto", "words", "characters", "wordpiece", "sentencepiece"},
                   "Whole words, single characters, or subword pieces as BERT or SentencePiece make them; auto: words, or "
                   "characters where the training text has no spaces between words."),
            choice("split", {"whitespace", "13a"}, "words: what separates words."),
            flag("lower", "Lower-case everything (wordpiece: and strip accents); BLEU is then scored lower-cased too."),
            integer("min_count", {1, 1e9}, "occurrences",
                    "words, characters: rarer types become <unk>; wordpiece: rarer pairs are not joined."),
            choice("model", {"unigram", "bpe"}, "sentencepiece: how pieces are found."),
            integer("vocab_size", {16, 1 << 24}, "pieces", "sentencepiece, wordpiece: size of a vocabulary."),
            flag("mask", "A token <mask> with id 4, as masked language modelling needs; wordpiece always has it."),
            text("vocab", "wordpiece: a publisher's vocab.txt, used in place of training."),
            text("file", "A tokenizer that Heddle saved, a SentencePiece model or a vocab.txt; nothing is trained then.")};
}

FieldSchema tokenizerSchema() {
    auto fields = tokenizerFields();
    fields.push_back(flag("shared", "One vocabulary for both sides."));
    fields.push_back(object("target", "What differs for the target side's tokenizer.", tokenizerFields()));
    return object("tokenizer", "How lines become vocabulary entries; trained on the training split alone.", std::move(fields));
}

FieldSchema corruptSchema() {
    return object("corrupt", "mlm and denoise: how words are damaged, anew every epoch.",
                  {number("rate", {0, 1}, "", "Share of the words that are chosen."),
                   number("mask", {0, 1}, "", "mlm: share of those that becomes <mask>."),
                   number("random", {0, 1}, "", "mlm: share of those that becomes a random word; the rest stays."),
                   flag("specials", "denoise: marks of beginning and end may be chosen and drawn too."),
                   flag("exclude_self", "denoise: a word is never replaced by itself.")});
}

FieldSchema generatedSchema() {
    return object(
        "generated", "Formats generated/…: what is computed. Synthetic data are labelled as such everywhere.",
        {integer("train", {1, 1e9}, "examples", "Training examples."),
         integer("valid", kCount, "examples", "Validation examples."), integer("test", kCount, "examples", "Test examples."),
         integer("shortest", {1, 1e6}, "words", "Words of the shortest example."),
         integer("longest", {1, 1e6}, "words", "Words of the longest example."),
         integer("words", {2, 1e6}, "words", "Different words."),
         integer("distance", {1, 1e6}, "words", "agreement: how far apart the two words are."),
         integer("seed", {0, 9007199254740991.0}, "", "Seed of the data and of data.split.")});
}

FieldSchema dataSchema() {
    return object(
        "data", "What is read, and what the model has to do with it.",
        {choice("task", taskNames(), "What the model has to do."),
         text("format",
              "How the files are written: lines, glue/mrpc and its like (an unknown one is answered with the list), idx, "
              "generated/NAME."),
         files("train", "Training examples."), files("valid", "Validation examples."), files("test", "Test examples."),
         object("columns", "tsv, csv, jsonl: columns by the names of the header (or numbers from 1); empty: recognised.",
                {text("text", "The text, or the first of two."), text("second", "The second text of a pair."),
                 text("label", "The class, or for task regress the number.")}),
         integer("stride", kCount, "tokens",
                 "span: a context longer than a row is read in windows that begin so many tokens apart (Devlin et al. 2019: "
                 "128); 0: it is cut."),
         object("split", "Shares of the training examples that are kept apart where no file is named; drawn by seed.",
                {number("valid", {0, 0.9}, "", "Share for validation."), number("test", {0, 0.9}, "", "Share for testing.")}),
         tokenizerSchema(),
         text("vectors", "embed.source frozen_file: a file of word vectors (word2vec or GloVe, text or binary)."),
         choice("packing", {"lines", "blocks"}, "Language models: a row a line, or blocks of dims.max_len tokens."),
         flag("transductive", "mlm and denoise: the inputs of valid and test are training text too."),
         choice("on_bad_line", {"stop", "skip"}, "A line that is not of the format: stop, or leave it out and count."),
         integer("min_words", kCount, "words", "Training examples with a text of fewer words are left out; 0: none."),
         integer("max_words", kCount, "words", "Training examples with a text of more words are left out; 0: none."),
         integer("max_tokens", kCount, "tokens", "Longer training pairs are dropped and counted; 0: dims.max_len."),
         integer("limit", kCount, "examples", "Read only the first so many training examples; 0: all."), corruptSchema(),
         generatedSchema()});
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
        {choice("kind", scheduleNames(),
                "noam: factor · d^-½ · min(step^-½, step · warmup^-1½); noam_peak: the same shape with its peak at lr; "
                "linear and cosine fall from lr after the rise; plateau falls when validation does not improve."),
         integer("warmup", kCount, "steps", "Length of the rise; 0: none (not for noam)."),
         number("factor", {1e-9, 1e9}, "", "noam: scale of the whole curve."),
         integer("steps", kCount, "steps", "linear, cosine: where the fall ends; 0: the run's last step."),
         number("end", {0, 1}, "", "linear, cosine, plateau: lowest rate, as a share of lr."),
         number("plateau_factor", {0.001, 0.999}, "", "plateau: what the rate is multiplied with."),
         integer("plateau_patience", kCount, "evaluations", "plateau: evaluations without improvement that are waited for.")});
}

FieldSchema startSchema() {
    FieldSchema freeze =
        field("freeze", FieldSchema::Type::List, "Modules whose parameters stay as they are: paths, or their beginnings.");
    freeze.fields = {text("path", "As in heddle variants count: embed, encoder.layers.0, …")};
    return object("start", "Weights to start from: fine-tuning and forks.",
                  {text("checkpoint",
                        "Folder of a checkpoint, or a published BERT's model.safetensors; heddle train --from fills it in."),
                   text("weights_sha256", "SHA-256 of its weights; filled in."),
                   flag("neutral", "Blocks that the checkpoint lacks begin as if they were absent, where they can."), freeze,
                   number("layer_decay", {0.01, 1}, "", "Learning rate of a layer divided by that of the layer above it.")});
}

FieldSchema extendedSchema() {
    FieldSchema extended =
        field("extended", FieldSchema::Type::List,
              "The steps after which heddle resume gave the run new limits; filled in, and empty in a new run.");
    extended.fields = {integer("step", kCount, "", "The last step of the run before it was extended.")};
    return extended;
}

FieldSchema trainSchema() {
    return object(
        "train", "How the model is trained.",
        {optimizerSchema(),
         number("lr", {0, 100}, "", "Learning rate at its highest; schedule noam ignores it."),
         scheduleSchema(),
         integer("epochs", kCount, "epochs",
                 "Stop after so many passes over the data; 0: no limit by it (default when steps is given)."),
         integer("steps", kCount, "steps", "Stop after so many updates; 0: no limit by it."),
         extendedSchema(),
         object("batch", "Size of a micro-batch; one of the two.",
                {integer("tokens", kCount, "tokens",
                         "Padded tokens of the longer side; 0 (and the default) when sentences is given."),
                 integer("sentences", kCount, "sentences", "Sentence pairs; 0: tokens decide."),
                 integer("round", {0, 1024}, "",
                         "Fill rows, widths and answers up to a multiple, so that steps have few shapes; 0: 8 where they are "
                         "recorded as graphs, else 1.")}),
         integer("accumulate", {1, 1 << 20}, "micro-batches", "Micro-batches whose gradients make one update."),
         number("clip", {0, 1e9}, "", "Longest global gradient norm; 0: no clipping."),
         choice("loss", {"auto", "ce", "hinge", "hinge_max", "mse"},
                "auto: mse for numbers, cross-entropy else; hinge: of Weston and Watkins, with one output per class; "
                "with dims.classes=1 the binary one: a score above 0 is the second class."),
         startSchema(),
         number("label_smoothing", {0, 0.99}, "", "Probability taken from the reference token and spread over all."),
         number("ema", {0, 0.9999}, "",
                "Evaluate, keep and use the exponential moving average of the weights with this decay (0.999), over about "
                "1 ÷ (1 − decay) updates; 0: the weights themselves."),
         choice(
             "precision", {"auto", "fp32", "tf32", "bf16"},
             "Matrix products; weights are fp32. bf16: in bfloat16 (autocast); tf32: of fp32 values by TF32 tensor cores, on "
             "CUDA alone; auto: bf16 on CUDA, fp32 on the CPU."),
         flag("deterministic", "Equal spec, seed and number of threads give equal bits; false allows faster kernels."),
         flag("graphs", "On a GPU: capture a step as a CUDA graph when its shape comes again, and replay it."),
         object("early_stopping", "When to stop before the end.",
                {choice("metric", stopMetrics(), "The validation metric that must improve; also picks the best checkpoint."),
                 integer("patience", kCount, "evaluations", "Stop after so many without improvement; 0: off.")}),
         integer("checkpoint_every", kCount, "steps",
                 "Write a checkpoint every so many updates; 0: only at the start, the best and the end."),
         integer("keep_last", kAtLeastOne, "checkpoints", "Regular checkpoints to keep."),
         integer("threads", {0, 4096}, "threads",
                 "CPU threads; 0: one a physical core. Another number gives other bits; one named here is part of run_hash."),
         text("device", "auto, cpu, cuda or cuda:N; auto: CUDA where there is one.")});
}

FieldSchema evaluateSchema() {
    return object(
        "evaluate", "When and how validation is scored.",
        {integer("every_epochs", kCount, "epochs", "Evaluate after every so many epochs; 0: not by epochs."),
         integer("every_steps", kCount, "steps", "Evaluate every so many updates as well; 0: off."),
         integer("bleu_sentences", kCount, "sentences", "Decode only the first so many validation pairs; 0: all."),
         integer("bleu_every_epochs", kCount, "epochs", "Decode for BLEU after every so many epochs; 0: only at the end."),
         flag("test_at_end", "Decode the test split with the best checkpoint when training completes."),
         integer("timed_sentences", kCount, "sentences",
                 "Then decode its first so many examples once more, alone, and record the seconds; 0: off."),
         flag("timed_uncached", "Time these examples a second time, one by one and without keeping keys and values.")});
}

FieldSchema recordSchema() {
    return object(
        "record", "What is kept of a run.",
        {integer("scalars_every", kAtLeastOne, "steps", "Loss, accuracy, learning rate, gradient norm, speed."),
         integer("histograms_every", kCount, "steps", "Gate histograms, gradient norms of layers and slots; 0: off."),
         integer("maps_every", kCount, "steps", "Attention of the probe sentences, also at 1, 2, 4, … before; 0: off."),
         integer("probes", {0, 64}, "sentences", "Validation sentences whose attention is kept."),
         number("max_mib", {1, 1 << 20}, "MiB", "Old attention maps are thinned above this size.")});
}

void setDefault(FieldSchema& schema, const Json& defaults) {
    if (schema.type != FieldSchema::Type::Object) {
        schema.defaultValue = defaults;
        return;
    }
    // An override without defaults has none itself, so it stays absent unless given.
    if (defaults.empty()) schema.defaultValue = defaults;
    for (auto& member : schema.fields)
        if (defaults.contains(member.key)) setDefault(member, defaults[member.key]);
}

/// Defaults come from the member initialisers of RunSpec.
FieldSchema makeRunSchema() {
    FieldSchema run =
        object("run", "A run: a variant, its data, how it is trained and what is recorded.",
               {integer("schema", {1, 1}, "", "Version of this format."), dataSchema(), trainSchema(), evaluateSchema(),
                recordSchema(), integer("seed", {0, 9007199254740991.0}, "", "Seed of everything random."),
                text("name", "Name of the run.")});
    const RunSpec standard;
    Json defaults = writeRunFields(standard);
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
