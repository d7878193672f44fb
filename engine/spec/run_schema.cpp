// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/run_fields.h"
#include "engine/spec/task_kinds.h"

#include <utility>

namespace heddle {
namespace {

using namespace schema;
using Role = FieldSchema::Role;

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
                  "tokens/nanogpt or tokens/modded-nanogpt (numbers of a tokenizer), generated/NAME."))
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
             choiceOf<Packing>("packing",
                               "Language models: a row is a line, a block of dims.max_len tokens, or such a block whose "
                               "documents do not see each other."))
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
        .add(&DataSpec::limit,
             integer("limit", kCount, "examples",
                     "Read only the first so many training examples, or tokens with the formats tokens/…; 0: all."))
        .add(&DataSpec::corrupt, "corrupt", "mlm and denoise: how words are damaged, anew every epoch.", corruptFields())
        .add(&DataSpec::generated, "generated",
             "Formats generated/…: what is computed. Synthetic data are labelled as such everywhere.", generatedFields());
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
        .add(&EvaluateSpec::beam,
             integer("beam", {0, 1024}, "texts", "Translations are found by beam search of this size; 0: greedily."))
        .add(&EvaluateSpec::lengthPenalty,
             number(
                 "length_penalty", {0, 100}, "",
                 "Beam search divides log P by ((5 + length) / 6) to this power (Wu et al. 2016, equation 14); 0: no penalty."))
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
        .add(&RecordSpec::healthEvery,
             integer(
                 "health_every", kCount, "steps",
                 "Record the length of the update divided by that of the weights, for every matrix, module, layer and stack, "
                 "the length of the residual stream after every layer, and, with several micro-batches, the gradient noise "
                 "scale; 0: off."))
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
