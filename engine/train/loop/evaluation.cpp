// SPDX-License-Identifier: Apache-2.0
#include "engine/train/loop/evaluation.h"

#include "engine/analysis/buckets.h"
#include "engine/data/batching/batch.h"
#include "engine/data/batching/encoded_corpus.h"
#include "engine/data/batching/prefetcher.h"
#include "engine/device/device.h"
#include "engine/device/torch_pch.h"
#include "engine/model/device_batch.h"
#include "engine/spec/cost.h"
#include "engine/tasks/head_pieces.h"
#include "engine/tasks/loss.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace heddle {
namespace {

/// The row of the batch that a label belongs to: that of its position where labels have positions. Otherwise labels follow
/// the rows; spans have the beginnings of all rows, then their ends.
std::int64_t rowOf(const Batch& batch, std::int64_t label) {
    if (batch.positions.empty()) return label % batch.rows;
    const std::int64_t width = batch.targetWidth > 0 ? batch.targetWidth : batch.sourceWidth;
    return batch.positions[static_cast<std::size_t>(label)] / width;
}

/// Adds the losses of a batch's labels to the sums of their examples. `examples` has one element for each example of the
/// corpus; `loss` must have LossSums::nll_N and best_N.
void addExampleLosses(const EncodedCorpus& corpus, const Batch& batch, const LossSums& loss,
                      std::vector<SentenceLoss>& examples) {
    const at::Tensor nats_N = loss.nll_N.to(at::kCPU, at::kDouble).contiguous();
    const at::Tensor best_N = loss.best_N.to(at::kCPU).contiguous();
    for (std::int64_t label = 0; label < nats_N.numel(); ++label) {
        const std::int64_t row = batch.indices[static_cast<std::size_t>(rowOf(batch, label))];
        SentenceLoss& sum = examples[static_cast<std::size_t>(corpus.exampleOf(row))];
        sum.nats += nats_N.const_data_ptr<double>()[label];
        sum.correct += best_N.const_data_ptr<std::int64_t>()[label] == batch.labels[static_cast<std::size_t>(label)] ? 1 : 0;
        ++sum.tokens;
    }
}

void append(TaskMetrics& to, TaskMetrics from) {
    std::move(from.values.begin(), from.values.end(), std::back_inserter(to.values));
    std::move(from.samples.begin(), from.samples.end(), std::back_inserter(to.samples));
    std::move(from.warnings.begin(), from.warnings.end(), std::back_inserter(to.warnings));
    std::move(from.bleuSentences.begin(), from.bleuSentences.end(), std::back_inserter(to.bleuSentences));
    if (!from.bleuSmooth.empty()) to.bleuSmooth = std::move(from.bleuSmooth);
    to.decoded += from.decoded;
    to.decodingSeconds += from.decodingSeconds;
}

}  // namespace

Evaluator::Evaluator(const Model& model, const Task& task, DecodeOptions options)
    : model_(model),
      task_(task),
      options_(std::move(options)),
      rowsAtOnce_(labelsAtOnce(model.variant(), logitsAtOnce(options_.device))) {}

std::vector<std::vector<std::int64_t>> Evaluator::batches(const EncodedCorpus& corpus) const {
    BatchOptions batching;
    batching.tokens = options_.batchTokens;
    batching.shuffle = false;
    return planEpoch(corpus, batching, 0);
}

std::optional<Evaluation> Evaluator::score(const EncodedCorpus& corpus) const {
    const at::NoGradGuard noGrad;
    const Forward forward;
    Evaluation result;
    const auto predictions = task_.predictions(corpus, PredictionUse::Metrics);
    std::vector<SentenceLoss> examples(static_cast<std::size_t>(keepsExamples_ ? exampleCount(corpus) : 0));
    const auto sums = at::zeros({2}, at::TensorOptions(at::kDouble).device(options_.device));
    for (const auto& indices : batches(corpus)) {
        if (options_.interrupted()) return std::nullopt;
        const Batch batch = task_.makeEvaluationBatch(corpus, indices);
        const DeviceBatch input = toDevice(batch, options_.device);
        at::Tensor headInput_NW, logits;
        {
            const AutocastScope autocast(options_.device, options_.precision);
            headInput_NW = task_.headInput(model_, input, forward);
            if (!headInput_NW.defined()) logits = task_.logits(model_, input, forward);
        }
        const LossSums loss = headInput_NW.defined() ? lossOfHead(headInput_NW, input) : task_.loss(logits, input);
        sums.add_(at::stack({loss.nll, loss.correct}));
        result.labels += batch.labelCount;
        if (keepsExamples_ && loss.nll_N.defined()) addExampleLosses(corpus, batch, loss, examples);
        predictions->add({logits, loss.best_N, loss.nll_N}, batch);
    }
    const auto host = sums.to(at::kCPU);
    const auto count = static_cast<double>(std::max<std::int64_t>(1, result.labels));
    result.loss = host.const_data_ptr<double>()[0] / count;
    result.accuracy = host.const_data_ptr<double>()[1] / count;
    result.metrics = predictions->metrics(result.loss);
    result.examples = std::move(examples);
    for (std::size_t i = 0; i < std::min(kSamples, corpus.sourceText.size()); ++i)
        if (auto predicted = predictions->text(i))
            result.metrics.samples.push_back(
                {static_cast<std::int64_t>(i), corpus.sourceText[i], corpus.targetText[i], std::move(*predicted)});
    return result;
}

std::optional<std::vector<SentenceLoss>> Evaluator::scoreOneByOne(const EncodedCorpus& corpus) const {
    std::vector<SentenceLoss> examples;
    const Evaluator alone(model_, task_, options_);
    for (std::int64_t i = 0; i < exampleCount(corpus); ++i) {
        const std::optional<Evaluation> one = alone.score(examplesOf(corpus, i, 1));
        if (!one) return std::nullopt;
        const auto labels = static_cast<double>(one->labels);
        examples.push_back({0, one->loss * labels, one->labels, std::llround(one->accuracy * labels)});
    }
    return examples;
}

LossSums Evaluator::lossOfHead(const at::Tensor& headInput_NW, const DeviceBatch& batch) const {
    const auto logits = [&](const at::Tensor& rows_RW) {
        const AutocastScope autocast(options_.device, options_.precision);
        return model_.logits(rows_RW);
    };
    const auto lossOf = [&](const at::Tensor& logits_RV, std::int64_t first) {
        return task_.loss(logits_RV, withLabels(batch, first, logits_RV.size(0)));
    };
    return lossInPieces(headInput_NW, rowsAtOnce_, {logits, lossOf});
}

std::optional<Evaluation> Evaluator::evaluate(const EncodedCorpus& corpus, Depth depth, std::int64_t sentences) const {
    std::optional<Evaluation> result = score(corpus);
    const auto isCounted = [](const SentenceLoss& one) { return one.tokens > 0; };
    if (result && keepsExamples_ && std::none_of(result->examples.begin(), result->examples.end(), isCounted)) {
        auto examples = scoreOneByOne(corpus);
        if (!examples) return std::nullopt;
        result->examples = std::move(*examples);
        result->oneByOne = true;
    }
    if (!result || depth == Depth::Scored || !task_.decodes()) return result;
    std::optional<TaskMetrics> decoded = task_.decode(model_, {corpus, sentences, options_});
    if (!decoded) return std::nullopt;
    append(result->metrics, std::move(*decoded));
    return result;
}

std::optional<EvaluationDone::Value> Evaluator::timeDecoding(const EncodedCorpus& corpus, std::int64_t sentences) const {
    const std::optional<TaskMetrics> decoded = task_.decode(model_, {corpus, sentences, options_});
    if (!decoded) return std::nullopt;
    return decodingTime(*decoded);
}

std::optional<EvaluationDone::Value> Evaluator::timeUncachedDecoding(const EncodedCorpus& corpus,
                                                                     std::int64_t sentences) const {
    Evaluator alone(model_, task_, options_);
    alone.options_.kept = DecodingMemory::Tokens;
    alone.options_.oneByOne = true;
    auto value = alone.timeDecoding(corpus, sentences);
    if (value) value->metric = "decode_seconds_uncached";
    return value;
}

EvaluationDone::Value Evaluator::decodingTime(const TaskMetrics& decoded) const {
    const DeviceInfo device = deviceInfo(options_.device);
    const bool isCached = options_.kept == DecodingMemory::KeysAndValues && model_.stepObstacle().empty();
    const SignatureParts parts{{"search", methodName(options_.search.method) + searchSignature(options_.search)},
                               {"cache", isCached ? "yes" : "no"},
                               {"batch_tokens", options_.oneByOne ? "one_example" : std::to_string(options_.batchTokens)},
                               {"precision", wordOf(options_.precision)},
                               {"device", device.id},
                               {"machine", device.name},
                               {"threads", std::to_string(at::get_num_threads())}};
    return {"decode_seconds", decoded.decodingSeconds, metricSignature("seconds", parts, decoded.decoded), decoded.decoded};
}

}  // namespace heddle
