// SPDX-License-Identifier: Apache-2.0
#include "engine/train/evaluation.h"

#include "engine/device/torch_pch.h"
#include "engine/spec/cost.h"
#include "engine/spec/error.h"
#include "engine/train/device_batch.h"
#include "engine/train/loss.h"

#include <algorithm>

namespace heddle {
namespace {

Sentence sentenceAt(const std::vector<std::int32_t>& ids, const std::vector<std::int64_t>& begin, std::size_t i) {
    return {ids.begin() + begin[i], ids.begin() + begin[i + 1]};
}

BleuOptions bleuOptionsFor(const TokenizerSpec& tokenizer) {
    BleuOptions options;
    const bool isTokenised = tokenizer.kind == "words" && tokenizer.split == "whitespace";
    options.tokenize = isTokenised ? "none" : "13a";
    options.lowercase = tokenizer.lower;
    return options;
}

}  // namespace

Evaluator::Evaluator(const Model& model, const TranslationData& data, const TokenizerSpec& tokenizer, DecodeOptions options)
    : model_(model), data_(data), bleuOptions_(bleuOptionsFor(tokenizer)), options_(std::move(options)) {}

std::optional<LossResult> Evaluator::loss(const EncodedCorpus& corpus) const {
    const at::NoGradGuard noGrad;
    BatchOptions batching;
    batching.tokens = options_.batchTokens;
    batching.shuffle = false;
    Forward forward;
    forward.taps = &noTaps();
    LossResult result;
    const auto sums = at::zeros({2}, at::TensorOptions(at::kDouble).device(options_.device));
    for (const auto& indices : planEpoch(corpus, batching, 0)) {
        if (options_.interrupted()) return std::nullopt;
        const Batch batch = makeBatch(corpus, indices);
        const DeviceBatch input = toDevice(batch, options_.device);
        at::Tensor logits_NV;
        {
            const AutocastScope autocast(options_.device, options_.precision);
            const auto hidden_BTD = model_.decode({input.targetIn_BT, {}},
                                                  {model_.encode({input.source_BS, {}}, forward), input.source_BS}, forward);
            logits_NV = model_.logits(hidden_BTD.flatten(0, 1).index_select(0, input.positions_N));
        }
        const LossSums loss = crossEntropy(logits_NV, input.targets_N, {});
        sums.add_(at::stack({loss.nll, loss.correct}));
        result.tokens += batch.targetTokens;
    }
    const auto host = sums.to(at::kCPU);
    const auto tokens = static_cast<double>(std::max<std::int64_t>(1, result.tokens));
    result.loss = host.const_data_ptr<double>()[0] / tokens;
    result.accuracy = host.const_data_ptr<double>()[1] / tokens;
    return result;
}

std::optional<BleuResult> Evaluator::bleu(const EncodedCorpus& corpus, std::int64_t sentences) const {
    const auto count = static_cast<std::size_t>(sentences > 0 ? std::min(sentences, corpus.size()) : corpus.size());
    std::vector<Sentence> sources;
    for (std::size_t i = 0; i < count; ++i) sources.push_back(sentenceAt(corpus.source, corpus.sourceBegin, i));
    const auto outputs = greedyDecode(model_, sources, options_);
    if (!outputs) return std::nullopt;
    BleuResult result;
    for (const Sentence& output : *outputs) result.hypotheses.push_back(data_.targetTokenizer->decode(output));
    const std::vector<std::string> references(corpus.targetText.begin(),
                                              corpus.targetText.begin() + static_cast<std::ptrdiff_t>(count));
    result.score = corpusBleu(result.hypotheses, references, bleuOptions_);
    return result;
}

std::vector<TranslatedLine> translateLines(const Model& model, const Tokenizer& source, const Tokenizer& target,
                                           const std::vector<std::string>& lines, const DecodeOptions& options) {
    const auto maxLen = longestSequence(model.variant(), builtinCatalogue());
    std::vector<TranslatedLine> translations(lines.size());
    std::vector<Sentence> sentences;
    std::vector<std::size_t> lineOf;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        Sentence sentence = source.encode(lines[i]);
        if (sentence.empty()) continue;
        if (static_cast<std::int64_t>(sentence.size()) >= maxLen)
            throwInvalid("the sentence has " + std::to_string(sentence.size() + 1) + " tokens with <eos>, the model takes " +
                             std::to_string(maxLen),
                         "line " + std::to_string(i + 1), "split the sentence");
        translations[i].sourceTokens = source.tokens(lines[i]);
        sentences.push_back(std::move(sentence));
        lineOf.push_back(i);
    }
    const auto outputs = greedyDecode(model, sentences, options).value_or(std::vector<Sentence>(sentences.size()));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        TranslatedLine& translation = translations[lineOf[i]];
        translation.text = target.decode(outputs[i]);
        for (const auto id : outputs[i]) translation.targetTokens.push_back(target.token(id));
    }
    return translations;
}

}  // namespace heddle
