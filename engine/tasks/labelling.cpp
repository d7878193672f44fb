// SPDX-License-Identifier: Apache-2.0
#include "engine/tasks/labelling.h"

#include "engine/base/error.h"
#include "engine/data/batching/prefetcher.h"
#include "engine/device/torch_pch.h"
#include "engine/model/device_batch.h"
#include "engine/spec/cost.h"

namespace heddle {

Example exampleOf(const Unlabelled& given) {
    Example example;
    example.first = given.first;
    example.second = given.second;
    example.words = given.words;
    return example;
}

EncodedCorpus encodeTexts(const Tokenizer& tokenizer, const std::vector<Unlabelled>& examples, std::int64_t maxLen) {
    RowEncoder rows(tokenizer, maxLen);
    EncodedCorpus corpus;
    for (const Unlabelled& given : examples) rows.add(corpus, exampleOf(given));
    return corpus;
}

std::vector<Labelled> labelExamples(const Labeller& labeller, const std::vector<Unlabelled>& examples,
                                    const DecodeOptions& options) {
    const auto corpus = labeller.task.encode(examples, longestSequence(labeller.model.variant()));
    if (!corpus)
        throw Error(ErrorCode::Usage, "a run of task " + labeller.spec.data.task + " does not predict labels", "--run",
                    "use a run of task classify, regress, tag, span or image");
    if (examples.empty()) return {};
    const at::NoGradGuard noGrad;
    BatchOptions batching;
    batching.tokens = options.batchTokens;
    batching.shuffle = false;
    const Forward forward;
    const auto predictions = labeller.task.predictions(*corpus, PredictionUse::Labels);
    for (const auto& indices : planEpoch(*corpus, batching, 0)) {
        const Batch batch = labeller.task.makeBatch(*corpus, indices, 0);
        const AutocastScope autocast(options.device, options.precision);
        const at::Tensor logits = labeller.task.logits(labeller.model, toDevice(batch, options.device), forward);
        predictions->add({logits, {}, {}}, batch);
    }
    std::vector<Labelled> labels;
    for (std::size_t i = 0; i < examples.size(); ++i) labels.push_back({*predictions->text(i), predictions->probabilities(i)});
    return labels;
}

}  // namespace heddle
