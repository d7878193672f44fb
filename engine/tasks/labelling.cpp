// SPDX-License-Identifier: Apache-2.0
#include "engine/tasks/labelling.h"

#include "engine/base/error.h"
#include "engine/data/loading/row_encoder.h"
#include "engine/data/tokenizers/tokenizer.h"
#include "engine/device/torch_pch.h"
#include "engine/model/device_batch.h"
#include "engine/spec/cost.h"

namespace heddle {
namespace {

/// Images of one size as in training, with labels that nobody reads.
EncodedCorpus encodeImages(const Labeller& labeller, const std::vector<Unlabelled>& examples) {
    const auto side = labeller.model.variant().globals.at("embed").params.at("size").get<std::int64_t>();
    EncodedCorpus corpus;
    for (const Unlabelled& given : examples) {
        if (corpus.size() == 0) {
            corpus.height = given.height;
            corpus.width = given.width;
        }
        const auto pixels = static_cast<std::int64_t>(given.pixels.size());
        if (given.height != corpus.height || given.width != corpus.width || pixels != corpus.height * corpus.width)
            throwInvalid("the images are not of one size", "images", "give them size by size");
        addImage(corpus, given.pixels.data(), corpus.height / side * (corpus.width / side), 0);
    }
    return corpus;
}

/// Rows as in training, with labels that nobody reads.
EncodedCorpus encodeRows(const Labeller& labeller, const std::vector<Unlabelled>& examples) {
    const std::string& kind = labeller.spec.data.task;
    RowEncoder rows(*labeller.data.sourceTokenizer, longestSequence(labeller.model.variant(), builtinCatalogue()));
    EncodedCorpus corpus;
    for (const Unlabelled& given : examples) {
        Example example;
        example.first = given.first;
        example.second = given.second;
        example.words = given.words.empty() && kind == "tag" ? splitWords(given.first, "whitespace") : given.words;
        if (kind == "tag") {
            if (example.words.empty())
                throwInvalid("example " + std::to_string(corpus.size() + 1) + " has no word to tag", "text",
                             "give words with spaces between them");
            rows.addWords(corpus, example, std::vector<std::int64_t>(example.words.size(), 0));
            corpus.tags.emplace_back(example.words.size());
        } else if (kind == "span") {
            if (given.second.empty())
                throwInvalid("example " + std::to_string(corpus.size() + 1) + " has no context to find the answer in", "text",
                             "give the question and the context with a tab between them");
            rows.addQuestion(corpus, example, labeller.spec.data.stride);
            corpus.sourceText.push_back(given.second);
        } else {
            rows.add(corpus, example);
            if (kind == "regress")
                corpus.numbers.push_back(0);
            else
                corpus.labels.push_back(0);
        }
    }
    return corpus;
}

}  // namespace

std::vector<Labelled> labelExamples(const Labeller& labeller, const std::vector<Unlabelled>& examples,
                                    const DecodeOptions& options) {
    const std::string& kind = labeller.spec.data.task;
    if (kind != "classify" && kind != "regress" && kind != "tag" && kind != "span" && kind != "image")
        throw Error(ErrorCode::Usage, "a run of task " + kind + " gives no labels", "--run",
                    "name a run of task classify, regress, tag, span or image");
    if (examples.empty()) return {};
    const at::NoGradGuard noGrad;
    const EncodedCorpus corpus = kind == "image" ? encodeImages(labeller, examples) : encodeRows(labeller, examples);
    BatchOptions batching;
    batching.tokens = options.batchTokens;
    batching.shuffle = false;
    Forward forward;
    forward.taps = &noTaps();
    Predictions predictions = roomFor(corpus);
    predictions.probabilities.resize(examples.size());
    for (const auto& indices : planEpoch(corpus, batching, 0)) {
        const Batch batch = labeller.task.makeBatch(corpus, indices, 0);
        const AutocastScope autocast(options.device, options.precision);
        const at::Tensor answers = labeller.task.answers(labeller.model, toDevice(batch, options.device), forward);
        labeller.task.collect({answers, {}, {}}, batch, predictions);
    }
    std::vector<Labelled> labels;
    for (std::size_t i = 0; i < examples.size(); ++i)
        labels.push_back({*labeller.task.said(corpus, predictions, i), std::move(predictions.probabilities[i])});
    return labels;
}

}  // namespace heddle
