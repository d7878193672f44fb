// SPDX-License-Identifier: Apache-2.0
#include "engine/base/contains.h"
#include "engine/spec/field_table.h"
#include "engine/spec/run_spec.h"
#include "engine/spec/task_kinds.h"

#include <utility>

namespace heddle {
namespace {

using namespace schema;
using Role = FieldSchema::Role;

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

template <class Enum>
FieldSchema choiceOf(const std::string& key, const std::string& help) {
    return choice(key, wordsOf<Enum>(), help);
}

FieldSchema list(const std::string& key, const std::string& help, FieldSchema element) {
    FieldSchema made = field(key, FieldSchema::Type::List, help);
    made.fields = {std::move(element)};
    return made;
}

FieldTable<ParallelFiles> splitFields() {
    return FieldTable<ParallelFiles>()
        .add(&ParallelFiles::source,
             withRole(Role::DataFile,
                      text("source",
                           "The file; of pairs the one in the source language, of images the images. Relative paths start "
                           "at the spec's folder.")))
        .add(&ParallelFiles::target,
             withRole(Role::DataFile,
                      text("target",
                           "translation: the file in the target language, line by line the translation; image: the labels.")));
}

FieldTable<ColumnNames> columnFields() {
    return FieldTable<ColumnNames>()
        .add(&ColumnNames::text, text("text", "The text, or the first of two."))
        .add(&ColumnNames::second, text("second", "The second text of a pair."))
        .add(&ColumnNames::label, text("label", "The class, or for task regress the number."));
}

/// What the tokenizers of both sides have.
FieldTable<TokenizerSpec> sideFields() {
    return FieldTable<TokenizerSpec>()
        .add(&TokenizerSpec::kind,
             choiceOf<TokenizerKind>(
                 "kind",
                 "Whole words, single characters, or subword pieces as BERT or SentencePiece make them; auto: words, or "
                 "characters where the training text has no spaces between words; json: as the tokenizer.json of "
                 "data.tokenizer.file says."))
        .add(&TokenizerSpec::split, choiceOf<WordSplit>("split", "words: what separates words."))
        .add(&TokenizerSpec::lower,
             flag("lower", "Lower-case everything (wordpiece: and strip accents); BLEU is then scored lower-cased too."))
        .add(&TokenizerSpec::minCount,
             integer("min_count", {1, 1e9}, "occurrences",
                     "words, characters: rarer types become <unk>; wordpiece: rarer pairs are not joined."))
        .add(&TokenizerSpec::model, choiceOf<PieceModel>("model", "sentencepiece: how pieces are found."))
        .add(&TokenizerSpec::vocabSize,
             integer("vocab_size", {16, 1 << 24}, "pieces", "sentencepiece, wordpiece: size of a vocabulary."))
        .add(&TokenizerSpec::mask,
             flag("mask", "A token <mask> with id 4, as masked language modelling needs; wordpiece always has it."))
        .add(&TokenizerSpec::vocab,
             withRole(Role::TokenizerFile, text("vocab", "wordpiece: a publisher's vocab.txt, used in place of training.")))
        .add(&TokenizerSpec::file,
             withRole(Role::TokenizerFile,
                      text("file",
                           "A tokenizer that Heddle saved, a SentencePiece model, a vocab.txt or a tokenizer.json; nothing is "
                           "trained then.")));
}

/// The target side has those that differ, so none has a default.
FieldSchema targetSchema() {
    std::vector<FieldSchema> fields = sideFields().schema();
    for (FieldSchema& field : fields) field.defaultValue = nullptr;
    return object("target", "What differs for the target side's tokenizer.", std::move(fields));
}

FieldTable<TokenizerSpec> tokenizerFields() {
    return sideFields()
        .add(&TokenizerSpec::shared, flag("shared", "One vocabulary for both sides."))
        .add(&TokenizerSpec::target, targetSchema());
}

FieldTable<CorruptSpec> corruptFields() {
    return FieldTable<CorruptSpec>()
        .add(&CorruptSpec::rate, number("rate", {0, 1}, "", "Share of the words that are chosen."))
        .add(&CorruptSpec::mask, number("mask", {0, 1}, "", "mlm: share of those that becomes <mask>."))
        .add(&CorruptSpec::random,
             number("random", {0, 1}, "", "mlm: share of those that becomes a random word; the rest stays."))
        .add(&CorruptSpec::specials, flag("specials", "denoise: marks of beginning and end may be chosen and drawn too."))
        .add(&CorruptSpec::excludeSelf, flag("exclude_self", "denoise: a word is never replaced by itself."));
}

FieldTable<GeneratedSpec> generatedFields() {
    return FieldTable<GeneratedSpec>()
        .add(&GeneratedSpec::train, integer("train", {1, 1e9}, "examples", "Training examples."))
        .add(&GeneratedSpec::valid, integer("valid", kCount, "examples", "Validation examples."))
        .add(&GeneratedSpec::test, integer("test", kCount, "examples", "Test examples."))
        .add(&GeneratedSpec::shortest, integer("shortest", {1, 1e6}, "words", "Words of the shortest example."))
        .add(&GeneratedSpec::longest, integer("longest", {1, 1e6}, "words", "Words of the longest example."))
        .add(&GeneratedSpec::words, integer("words", {2, 1e6}, "words", "Different words."))
        .add(&GeneratedSpec::distance, integer("distance", {1, 1e6}, "words", "agreement: how far apart the two words are."))
        .add(&GeneratedSpec::seed, integer("seed", {0, 9007199254740991.0}, "", "Seed of the data and of data.split."));
}

FieldTable<DataSpec> dataFields() {
    return FieldTable<DataSpec>()
        .add(&DataSpec::task, choice("task", taskNames(), "What the model has to do."))
        .add(&DataSpec::format,
             text("format",
                  "How the files are written: lines, glue/mrpc and its like (an unknown one is answered with the list), idx, "
                  "generated/NAME."))
        .add(&DataSpec::train, "train", "Training examples. Plain or .gz; text is UTF-8.", splitFields())
        .add(&DataSpec::valid, "valid", "Validation examples. Plain or .gz; text is UTF-8.", splitFields())
        .add(&DataSpec::test, "test", "Test examples. Plain or .gz; text is UTF-8.", splitFields())
        .add(&DataSpec::columns, "columns",
             "tsv, csv, jsonl: columns by the names of the header (or numbers from 1); empty: recognised.", columnFields())
        .add(&DataSpec::stride,
             integer("stride", kCount, "tokens",
                     "span: a context longer than a row is read in windows that begin so many tokens apart (Devlin et al. "
                     "2019: 128); 0: it is cut."))
        .group("split", "Shares of the training examples that are kept apart where no file is named; drawn by seed.",
               FieldTable<DataSpec>()
                   .add(&DataSpec::validShare, number("valid", {0, 0.9}, "", "Share for validation."))
                   .add(&DataSpec::testShare, number("test", {0, 0.9}, "", "Share for testing.")))
        .add(&DataSpec::tokenizer, "tokenizer", "How lines become vocabulary entries; trained on the training split alone.",
             tokenizerFields())
        .add(&DataSpec::vectors,
             withRole(Role::DataFile,
                      text("vectors", "embed.source frozen_file: a file of word vectors (word2vec or GloVe, text or binary).")))
        .add(&DataSpec::packing,
             choiceOf<Packing>("packing", "Language models: a row a line, or blocks of dims.max_len tokens."))
        .add(&DataSpec::transductive,
             flag("transductive", "mlm and denoise: the inputs of valid and test are training text too."))
        .add(&DataSpec::onBadLine,
             choiceOf<OnBadLine>("on_bad_line", "A line that is not of the format: stop, or leave it out and count."))
        .add(&DataSpec::minWords,
             integer("min_words", kCount, "words", "Training examples with a text of fewer words are left out; 0: none."))
        .add(&DataSpec::maxWords,
             integer("max_words", kCount, "words", "Training examples with a text of more words are left out; 0: none."))
        .add(&DataSpec::maxTokens,
             integer("max_tokens", kCount, "tokens", "Longer training pairs are dropped and counted; 0: dims.max_len."))
        .add(&DataSpec::limit, integer("limit", kCount, "examples", "Read only the first so many training examples; 0: all."))
        .add(&DataSpec::corrupt, "corrupt", "mlm and denoise: how words are damaged, anew every epoch.", corruptFields())
        .add(&DataSpec::generated, "generated",
             "Formats generated/…: what is computed. Synthetic data are labelled as such everywhere.", generatedFields());
}

FieldTable<MuonSpec> muonFields() {
    return FieldTable<MuonSpec>()
        .add(&MuonSpec::momentum, number("momentum", {0, 0.999999}, "", "Decay of the average of the gradients."))
        .add(&MuonSpec::nesterov, flag("nesterov", "Nesterov's momentum: the gradient counts once more."))
        .add(&MuonSpec::iterations,
             integer("iterations", {1, 99}, "iterations", "Of Newton and Schulz, which make a matrix nearly orthogonal."))
        .add(&MuonSpec::scale,
             choiceOf<MuonScale>("scale",
                                 "Factor of the rate for a matrix: original: √max(1, rows ÷ columns); match_rms_adamw: 0.2 · "
                                 "√max(rows, columns), with which a rate for AdamW fits Muon, too."));
}

FieldTable<GroupSpec> groupFields() {
    return FieldTable<GroupSpec>()
        .add(
            &GroupSpec::parameters,
            text("parameters", "embeddings, matrices, vectors, head, or a pattern of parameter paths: encoder.layers.*.ffn.*."))
        .add(&GroupSpec::rate, number("rate", {0, 1e6}, "", "Factor of the schedule's learning rate."))
        .add(&GroupSpec::decay, number("decay", {0, 1e6}, "", "Factor of train.optimizer.weight_decay."));
}

FieldTable<TrainSpec> optimizerFields() {
    return FieldTable<TrainSpec>()
        .add(&TrainSpec::optimizer,
             choiceOf<OptimizerKind>("kind",
                                     "adamw: weight decay apart from the gradient; muon: the matrices of the stacks by Muon, "
                                     "embeddings, head and vectors by adamw."))
        .add(&TrainSpec::betas, list("betas", "Decay of the two moment averages.",
                                     number("beta", {0, 0.999999}, "", "Decay of one moment average.")))
        .add(&TrainSpec::epsilon, number("eps", {1e-16, 1}, "", "Added to the root of the second moment."))
        .add(&TrainSpec::weightDecay, number("weight_decay", {0, 10}, "", "Strength of weight decay; 0: off."))
        .add(&TrainSpec::muon, "muon", "muon: how matrices are updated.", muonFields());
}

FieldTable<TrainSpec> scheduleFields() {
    return FieldTable<TrainSpec>()
        .add(&TrainSpec::schedule,
             choiceOf<ScheduleKind>(
                 "kind",
                 "noam: factor · d^-½ · min(step^-½, step · warmup^-1½); noam_peak: the same shape with its peak at lr; "
                 "linear and cosine fall from lr after the rise; plateau falls when validation does not improve; wsd: rise, "
                 "lr, and a fall in the last steps."))
        .add(&TrainSpec::warmup, integer("warmup", kCount, "steps", "Length of the rise; 0: none (not for noam)."))
        .add(&TrainSpec::noamFactor, number("factor", {1e-9, 1e9}, "", "noam: scale of the whole curve."))
        .add(&TrainSpec::scheduleSteps,
             integer("steps", kCount, "steps", "linear, cosine, wsd: where the fall ends; 0: the run's last step."))
        .add(&TrainSpec::scheduleEnd, number("end", {0, 1}, "", "linear, cosine, plateau, wsd: lowest rate, as a share of lr."))
        .add(&TrainSpec::scheduleDecay,
             number("decay", {0, 1}, "", "wsd: share of the steps in which the rate falls at the end; 0: it does not fall."))
        .add(&TrainSpec::decayShape,
             choiceOf<DecayShape>("shape", "wsd: the fall is a straight line, or 1 − √ of the share of it that is done."))
        .add(&TrainSpec::plateauFactor,
             number("plateau_factor", {0.001, 0.999}, "", "plateau: what the rate is multiplied with."))
        .add(&TrainSpec::plateauPatience, integer("plateau_patience", kCount, "evaluations",
                                                  "plateau: evaluations without improvement that are waited for."));
}

FieldTable<TrainSpec> batchFields() {
    return FieldTable<TrainSpec>()
        .add(&TrainSpec::batchTokens, integer("tokens", kCount, "tokens",
                                              "Padded tokens of the longer side; 0 (and the default) when sentences is given."))
        .add(&TrainSpec::batchSentences, integer("sentences", kCount, "sentences", "Sentence pairs; 0: tokens decide."))
        .add(&TrainSpec::batchRound,
             integer("round", {0, 1024}, "",
                     "Fill rows, widths and answers up to a multiple, so that steps have few shapes; 0: 8 where they are "
                     "recorded as graphs, else 1."));
}

FieldTable<StartSpec> startFields() {
    return FieldTable<StartSpec>()
        .add(
            &StartSpec::checkpoint,
            withRole(Role::Checkpoint,
                     text("checkpoint",
                          "Folder of a checkpoint, or a published BERT's model.safetensors; heddle train --from fills it in.")))
        .add(&StartSpec::weightsSha256, text("weights_sha256", "SHA-256 of its weights; filled in."))
        .add(&StartSpec::neutral,
             flag("neutral", "Blocks that the checkpoint lacks begin as if they were absent, where they can."))
        .add(
            &StartSpec::withState,
            flag(
                "state",
                "Go on as the checkpoint's run would have done: with its optimizer, step and place in the data. Variant, data, "
                "batches and seed are that run's; heddle fork --exact sets it."))
        .add(&StartSpec::freeze, list("freeze", "Modules whose parameters stay as they are: paths, or their beginnings.",
                                      text("path", "As in heddle variants count: embed, encoder.layers.0, …")))
        .add(&StartSpec::layerDecay,
             number("layer_decay", {0.01, 1}, "", "Learning rate of a layer divided by that of the layer above it."));
}

FieldTable<TrainSpec> stopFields() {
    return FieldTable<TrainSpec>()
        .add(&TrainSpec::stopMetric,
             choice("metric", stopMetrics(), "The validation metric that must improve; also picks the best checkpoint."))
        .add(&TrainSpec::patience,
             integer("patience", kCount, "evaluations", "Stop after so many without improvement; 0: off."));
}

FieldTable<TrainSpec> trainFields() {
    return FieldTable<TrainSpec>()
        .group("optimizer", "What turns gradients into updates.", optimizerFields())
        .add(&TrainSpec::groups,
             field("groups", FieldSchema::Type::List,
                   "Factors of learning rate and weight decay of some parameters: [{\"parameters\":\"matrices\",\"rate\":20,"
                   "\"decay\":0}, …] of embeddings, matrices, vectors, head or a pattern of paths (*.ffn.*); the first entry "
                   "that fits a parameter counts."),
             groupFields())
        .add(&TrainSpec::lr, number("lr", {0, 100}, "", "Learning rate at its highest; schedule noam ignores it."))
        .group("schedule", "How the learning rate moves.", scheduleFields())
        .add(&TrainSpec::epochs,
             integer("epochs", kCount, "epochs",
                     "Stop after so many passes over the data; 0: no limit by it (default when steps is given)."))
        .add(&TrainSpec::steps, integer("steps", kCount, "steps", "Stop after so many updates; 0: no limit by it."))
        .add(&TrainSpec::extended,
             list("extended", "The steps after which heddle resume gave the run new limits; filled in, and empty in a new run.",
                  integer("step", kCount, "", "The last step of the run before it was extended.")))
        .group("batch", "Size of a micro-batch; one of the two.", batchFields())
        .add(&TrainSpec::accumulate,
             integer("accumulate", {1, 1 << 20}, "micro-batches", "Micro-batches whose gradients make one update."))
        .add(&TrainSpec::clip, number("clip", {0, 1e9}, "", "Longest global gradient norm; 0: no clipping."))
        .add(&TrainSpec::loss,
             choiceOf<LossKind>(
                 "loss",
                 "auto: mse for numbers, cross-entropy else; hinge: of Weston and Watkins, with one output per class; "
                 "with dims.classes=1 the binary one: a score above 0 is the second class."))
        .add(&TrainSpec::start, "start", "Weights to start from: fine-tuning and forks.", startFields())
        .add(&TrainSpec::labelSmoothing,
             number("label_smoothing", {0, 0.99}, "", "Probability taken from the reference token and spread over all."))
        .add(&TrainSpec::zLoss,
             number("z_loss", {0, 1}, "",
                    "Factor of log²Z that is added to the cross-entropy, Z the sum of the exponentials of the logits (1e-4 as "
                    "PaLM's); 0: none."))
        .add(&TrainSpec::ema,
             number("ema", {0, 0.9999}, "",
                    "Evaluate, keep and use the exponential moving average of the weights with this decay (0.999), over about "
                    "1 ÷ (1 − decay) updates; 0: the weights themselves."))
        .add(&TrainSpec::precision,
             choiceOf<Precision>(
                 "precision",
                 "Matrix products; weights are fp32. bf16: in bfloat16 (autocast); tf32: of fp32 values by TF32 tensor "
                 "cores, on CUDA alone; auto: bf16 on CUDA, fp32 on the CPU."))
        .add(&TrainSpec::deterministic,
             flag("deterministic", "Equal spec, seed and number of threads give equal bits; false allows faster kernels."))
        .add(&TrainSpec::graphs,
             flag("graphs", "On a GPU: capture a step as a CUDA graph when its shape comes again, and replay it."))
        .group("early_stopping", "When to stop before the end.", stopFields())
        .add(&TrainSpec::checkpointEvery,
             integer("checkpoint_every", kCount, "steps",
                     "Write a checkpoint every so many updates; 0: only at the start, the best and the end."))
        .add(&TrainSpec::keepLast, integer("keep_last", kAtLeastOne, "checkpoints", "Regular checkpoints to keep."))
        .add(&TrainSpec::threads,
             withRole(Role::OwnBits,
                      integer("threads", {0, 4096}, "threads",
                              "CPU threads; 0: one a physical core. Another number gives other bits; one named here is part of "
                              "run_hash.")))
        .add(&TrainSpec::device,
             withRole(Role::Label, text("device", "auto, cpu, cuda or cuda:N; auto: CUDA where there is one.")));
}

FieldTable<EvaluateSpec> evaluateFields() {
    return FieldTable<EvaluateSpec>()
        .add(&EvaluateSpec::everyEpochs,
             integer("every_epochs", kCount, "epochs", "Evaluate after every so many epochs; 0: not by epochs."))
        .add(&EvaluateSpec::everySteps,
             integer("every_steps", kCount, "steps", "Evaluate every so many updates as well; 0: off."))
        .add(&EvaluateSpec::bleuSentences,
             integer("bleu_sentences", kCount, "sentences", "Decode only the first so many validation pairs; 0: all."))
        .add(&EvaluateSpec::bleuEveryEpochs,
             integer("bleu_every_epochs", kCount, "epochs", "Decode for BLEU after every so many epochs; 0: only at the end."))
        .add(&EvaluateSpec::testAtEnd,
             flag("test_at_end", "Decode the test split with the best checkpoint when training completes."))
        .add(&EvaluateSpec::timedSentences,
             integer("timed_sentences", kCount, "sentences",
                     "Then decode its first so many examples once more, alone, and record the seconds; 0: off."))
        .add(&EvaluateSpec::timedUncached,
             flag("timed_uncached", "Time these examples a second time, one by one and without keeping keys and values."));
}

FieldTable<RecordSpec> recordFields() {
    return FieldTable<RecordSpec>()
        .add(&RecordSpec::scalarsEvery,
             integer("scalars_every", kAtLeastOne, "steps", "Loss, accuracy, learning rate, gradient norm, speed."))
        .add(&RecordSpec::histogramsEvery,
             integer("histograms_every", kCount, "steps", "Gate histograms, gradient norms of layers and slots; 0: off."))
        .add(&RecordSpec::mapsEvery,
             integer("maps_every", kCount, "steps", "Attention of the probe sentences, also at 1, 2, 4, … before; 0: off."))
        .add(&RecordSpec::probes, integer("probes", {0, 64}, "sentences", "Validation sentences whose attention is kept."))
        .add(&RecordSpec::maxMib, number("max_mib", {1, 1 << 20}, "MiB", "Old attention maps are thinned above this size."))
        .add(&RecordSpec::systemEvery,
             withRole(Role::Label, number("system_every", {0, 3600}, "seconds",
                                          "Use of CPU, GPU and memory, temperature and power; 0: off.")));
}

const FieldTable<RunSpec>& runTable() {
    static const auto kFields =
        FieldTable<RunSpec>()
            .add(&RunSpec::data, "data", "What is read, and what the model has to do with it.", dataFields())
            .add(&RunSpec::train, "train", "How the model is trained.", trainFields())
            .add(&RunSpec::evaluate, "evaluate", "When and how validation is scored.", evaluateFields())
            .add(&RunSpec::record, "record", "What is kept of a run.", recordFields())
            .add(&RunSpec::seed,
                 withRole(Role::Label, integer("seed", {0, 9007199254740991.0}, "", "Seed of everything random.")))
            .add(&RunSpec::name, withRole(Role::Label, text("name", "Name of the run.")));
    return kFields;
}

FieldSchema makeRunSchema() {
    std::vector<FieldSchema> fields = runTable().schema();
    fields.insert(fields.begin(), withDefault(integer("schema", {1, 1}, "", "Version of this format."), 1));
    return object("run", "A run: a variant, its data, how it is trained and what is recorded.", std::move(fields));
}

}  // namespace

const FieldSchema& runSchema() {
    static const FieldSchema schema = makeRunSchema();
    return schema;
}

Json writeRunFields(const RunSpec& run) { return runTable().write(run); }

void readRunFields(const Json& document, RunSpec& run) { runTable().read(document, run); }

void readTokenizerFields(const Json& document, TokenizerSpec& tokenizer) {
    static const FieldTable<TokenizerSpec> fields = sideFields();
    fields.read(document, tokenizer);
}

}  // namespace heddle
