// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/run_spec.h"

namespace heddle {

/// Calls `visit(pointer, member)` for every tokenizer member that both sides have.
template <typename Spec, typename Visit>
void visitTokenizerFields(Spec& tokenizer, Visit&& visit) {
    visit("/kind", tokenizer.kind);
    visit("/split", tokenizer.split);
    visit("/lower", tokenizer.lower);
    visit("/min_count", tokenizer.minCount);
    visit("/model", tokenizer.model);
    visit("/vocab_size", tokenizer.vocabSize);
    visit("/mask", tokenizer.mask);
    visit("/vocab", tokenizer.vocab);
    visit("/file", tokenizer.file);
}

/// Calls `visit(pointer, member)` for every member of data.
template <typename Data, typename Visit>
void visitDataFields(Data& data, Visit&& visit) {
    visit("/data/task", data.task);
    visit("/data/format", data.format);
    visit("/data/train/source", data.train.source);
    visit("/data/train/target", data.train.target);
    visit("/data/valid/source", data.valid.source);
    visit("/data/valid/target", data.valid.target);
    visit("/data/test/source", data.test.source);
    visit("/data/test/target", data.test.target);
    visit("/data/columns/text", data.columns.text);
    visit("/data/columns/second", data.columns.second);
    visit("/data/columns/label", data.columns.label);
    visit("/data/stride", data.stride);
    visit("/data/split/valid", data.validShare);
    visit("/data/split/test", data.testShare);
    visitTokenizerFields(data.tokenizer, [&](const char* pointer, auto& member) {
        visit((std::string("/data/tokenizer") + pointer).c_str(), member);
    });
    visit("/data/tokenizer/shared", data.tokenizer.shared);
    visit("/data/tokenizer/target", data.tokenizer.target);
    visit("/data/vectors", data.vectors);
    visit("/data/packing", data.packing);
    visit("/data/transductive", data.transductive);
    visit("/data/on_bad_line", data.onBadLine);
    visit("/data/min_words", data.minWords);
    visit("/data/max_words", data.maxWords);
    visit("/data/max_tokens", data.maxTokens);
    visit("/data/limit", data.limit);
    visit("/data/corrupt/rate", data.corrupt.rate);
    visit("/data/corrupt/mask", data.corrupt.mask);
    visit("/data/corrupt/random", data.corrupt.random);
    visit("/data/corrupt/specials", data.corrupt.specials);
    visit("/data/corrupt/exclude_self", data.corrupt.excludeSelf);
    visit("/data/generated/train", data.generated.train);
    visit("/data/generated/valid", data.generated.valid);
    visit("/data/generated/test", data.generated.test);
    visit("/data/generated/shortest", data.generated.shortest);
    visit("/data/generated/longest", data.generated.longest);
    visit("/data/generated/words", data.generated.words);
    visit("/data/generated/distance", data.generated.distance);
    visit("/data/generated/seed", data.generated.seed);
}

/// The same for train.
template <typename Train, typename Visit>
void visitTrainFields(Train& train, Visit&& visit) {
    visit("/train/optimizer/kind", train.optimizer);
    visit("/train/optimizer/betas/0", train.beta1);
    visit("/train/optimizer/betas/1", train.beta2);
    visit("/train/optimizer/eps", train.epsilon);
    visit("/train/optimizer/weight_decay", train.weightDecay);
    visit("/train/lr", train.lr);
    visit("/train/schedule/kind", train.schedule);
    visit("/train/schedule/warmup", train.warmup);
    visit("/train/schedule/factor", train.noamFactor);
    visit("/train/schedule/steps", train.scheduleSteps);
    visit("/train/schedule/end", train.scheduleEnd);
    visit("/train/schedule/plateau_factor", train.plateauFactor);
    visit("/train/schedule/plateau_patience", train.plateauPatience);
    visit("/train/epochs", train.epochs);
    visit("/train/steps", train.steps);
    visit("/train/extended", train.extended);
    visit("/train/batch/tokens", train.batchTokens);
    visit("/train/batch/sentences", train.batchSentences);
    visit("/train/batch/round", train.batchRound);
    visit("/train/accumulate", train.accumulate);
    visit("/train/clip", train.clip);
    visit("/train/loss", train.loss);
    visit("/train/label_smoothing", train.labelSmoothing);
    visit("/train/start/checkpoint", train.start.checkpoint);
    visit("/train/start/weights_sha256", train.start.weightsSha256);
    visit("/train/start/neutral", train.start.neutral);
    visit("/train/start/freeze", train.start.freeze);
    visit("/train/start/layer_decay", train.start.layerDecay);
    visit("/train/ema", train.ema);
    visit("/train/precision", train.precision);
    visit("/train/deterministic", train.deterministic);
    visit("/train/graphs", train.graphs);
    visit("/train/early_stopping/metric", train.stopMetric);
    visit("/train/early_stopping/patience", train.patience);
    visit("/train/checkpoint_every", train.checkpointEvery);
    visit("/train/keep_last", train.keepLast);
    visit("/train/threads", train.threads);
    visit("/train/device", train.device);
}

/// Calls `visit(pointer, member)` for every member of a run except its variant. The only place that maps JSON pointers to
/// members.
template <typename Spec, typename Visit>
void visitRunFields(Spec& run, Visit&& visit) {
    visit("/seed", run.seed);
    visit("/name", run.name);
    visitDataFields(run.data, visit);
    visitTrainFields(run.train, visit);

    auto& evaluate = run.evaluate;
    visit("/evaluate/every_epochs", evaluate.everyEpochs);
    visit("/evaluate/every_steps", evaluate.everySteps);
    visit("/evaluate/bleu_sentences", evaluate.bleuSentences);
    visit("/evaluate/bleu_every_epochs", evaluate.bleuEveryEpochs);
    visit("/evaluate/test_at_end", evaluate.testAtEnd);
    visit("/evaluate/timed_sentences", evaluate.timedSentences);
    visit("/evaluate/timed_uncached", evaluate.timedUncached);

    auto& record = run.record;
    visit("/record/scalars_every", record.scalarsEvery);
    visit("/record/histograms_every", record.histogramsEvery);
    visit("/record/maps_every", record.mapsEvery);
    visit("/record/probes", record.probes);
    visit("/record/max_mib", record.maxMib);
}

/// All members of a run except its variant, including defaults.
inline Json writeRunFields(const RunSpec& run) {
    Json document = Json::object();
    visitRunFields(run, [&](const char* pointer, const auto& member) { document[Json::json_pointer(pointer)] = member; });
    return document;
}

/// The inverse; `document` must be valid and have every member.
inline void readRunFields(const Json& document, RunSpec& run) {
    visitRunFields(run, [&](const char* pointer, auto& member) { document.at(Json::json_pointer(pointer)).get_to(member); });
}

}  // namespace heddle
