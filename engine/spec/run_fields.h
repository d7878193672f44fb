// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/run_spec.h"

namespace heddle {

/// Calls `visit(pointer, member)` for every member of a run but its variant: the one place that says which JSON pointer is
/// which member.
template <typename Spec, typename Visit>
void visitRunFields(Spec& run, Visit&& visit) {
    visit("/seed", run.seed);
    visit("/name", run.name);

    auto& data = run.data;
    visit("/data/train/source", data.train.source);
    visit("/data/train/target", data.train.target);
    visit("/data/valid/source", data.valid.source);
    visit("/data/valid/target", data.valid.target);
    visit("/data/test/source", data.test.source);
    visit("/data/test/target", data.test.target);
    visit("/data/tokenizer/kind", data.tokenizer.kind);
    visit("/data/tokenizer/split", data.tokenizer.split);
    visit("/data/tokenizer/lower", data.tokenizer.lower);
    visit("/data/tokenizer/min_count", data.tokenizer.minCount);
    visit("/data/tokenizer/model", data.tokenizer.model);
    visit("/data/tokenizer/vocab_size", data.tokenizer.vocabSize);
    visit("/data/tokenizer/shared", data.tokenizer.shared);
    visit("/data/max_tokens", data.maxTokens);
    visit("/data/limit", data.limit);

    auto& train = run.train;
    visit("/train/optimizer/kind", train.optimizer);
    visit("/train/optimizer/betas/0", train.beta1);
    visit("/train/optimizer/betas/1", train.beta2);
    visit("/train/optimizer/eps", train.epsilon);
    visit("/train/optimizer/weight_decay", train.weightDecay);
    visit("/train/lr", train.lr);
    visit("/train/schedule/kind", train.schedule);
    visit("/train/schedule/warmup", train.warmup);
    visit("/train/schedule/factor", train.noamFactor);
    visit("/train/epochs", train.epochs);
    visit("/train/steps", train.steps);
    visit("/train/batch/tokens", train.batchTokens);
    visit("/train/batch/sentences", train.batchSentences);
    visit("/train/accumulate", train.accumulate);
    visit("/train/clip", train.clip);
    visit("/train/label_smoothing", train.labelSmoothing);
    visit("/train/precision", train.precision);
    visit("/train/deterministic", train.deterministic);
    visit("/train/early_stopping/metric", train.stopMetric);
    visit("/train/early_stopping/patience", train.patience);
    visit("/train/checkpoint_every", train.checkpointEvery);
    visit("/train/keep_last", train.keepLast);
    visit("/train/threads", train.threads);
    visit("/train/device", train.device);

    auto& evaluate = run.evaluate;
    visit("/evaluate/every_epochs", evaluate.everyEpochs);
    visit("/evaluate/every_steps", evaluate.everySteps);
    visit("/evaluate/bleu_sentences", evaluate.bleuSentences);
    visit("/evaluate/bleu_every_epochs", evaluate.bleuEveryEpochs);
    visit("/evaluate/test_at_end", evaluate.testAtEnd);

    auto& record = run.record;
    visit("/record/scalars_every", record.scalarsEvery);
    visit("/record/histograms_every", record.histogramsEvery);
    visit("/record/maps_every", record.mapsEvery);
    visit("/record/probes", record.probes);
    visit("/record/max_mib", record.maxMib);
}

/// All members of a run but its variant, defaults included.
inline Json writeRunFields(const RunSpec& run) {
    Json document = Json::object();
    visitRunFields(run, [&](const char* pointer, const auto& member) { document[Json::json_pointer(pointer)] = member; });
    return document;
}

/// The inverse; `document` is valid and has every member.
inline void readRunFields(const Json& document, RunSpec& run) {
    visitRunFields(run, [&](const char* pointer, auto& member) { document.at(Json::json_pointer(pointer)).get_to(member); });
}

}  // namespace heddle
