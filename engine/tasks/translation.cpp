// SPDX-License-Identifier: Apache-2.0
// Translation: the decoder writes the second sentence of a pair. Loss a target token, also by length of the source. "bleu":
// corpus BLEU of free-running translations (evaluate.beam) against the raw references, on 13a words, or on the words as they
// are (tok:none) where the files are already tokenised (words split at white space); case:lc if the tokenizer lowers; also by
// length. "chrf": chrF2 of the same translations (Popović 2015). Diagnostics of text that has seen the reference
// (variants.md 1.6): "bleu_teacher_forced", "bleu_charpos".
#include "engine/analysis/buckets.h"
#include "engine/base/error.h"
#include "engine/data/batching/row_batches.h"
#include "engine/decode/lines.h"
#include "engine/device/torch_pch.h"
#include "engine/metrics/bleu_readings.h"
#include "engine/metrics/chrf.h"
#include "engine/tasks/task.h"

#include <algorithm>
#include <chrono>

namespace heddle {
namespace {

const std::vector<std::int64_t> kLengths{10, 20, 30, 50};  ///< tokens of a source, upper ends of the buckets

Sentence sentenceAt(const std::vector<std::int32_t>& ids, const std::vector<std::int64_t>& begin, std::size_t i) {
    return {ids.begin() + begin[i], ids.begin() + begin[i + 1]};
}

/// References without spaces between words are compared character by character.
BleuOptions bleuOptionsFor(const TokenizerSpec& tokenizer, const std::vector<std::string>& references) {
    BleuOptions options;
    const bool isTokenised = tokenizer.kind == TokenizerKind::Words && tokenizer.split == WordSplit::Whitespace;
    const bool isUnspaced = tokenizer.kind == TokenizerKind::Characters && !references.empty() && !hasSpaces(references);
    options.tokenize = isTokenised ? "none" : isUnspaced ? "char" : "13a";
    options.lowercase = tokenizer.lower;
    return options;
}

/// Adds values by length; buckets without sentences are left out without a warning.
void addParts(TaskMetrics& metrics, const std::vector<MetricValue>& values) {
    for (const MetricValue& value : values)
        if (value.n > 0) addMetric(metrics, {value.name, value.value, value.signature, value.n, ""});
}

/// Predictions under teacher forcing.
class TranslationPredictions final : public Predictions {
public:
    TranslationPredictions(const EncodedCorpus& corpus, const Tokenizer& target, const BleuOptions& bleu)
        : corpus_(corpus),
          target_(target),
          bleu_(bleu),
          words_(static_cast<std::size_t>(corpus.size())),
          losses_(static_cast<std::size_t>(corpus.size())) {}

    void add(const Outputs& outputs, const Batch& batch) override {
        const at::Tensor nats_N = outputs.nll_N.to(at::kCPU, at::kFloat);
        const std::vector<std::int64_t> best = likeliestClasses(outputs);
        for (std::size_t i = 0; i < best.size(); ++i) {
            const auto row = static_cast<std::size_t>(batch.positions[i] / batch.targetWidth);
            const auto sentence = static_cast<std::size_t>(batch.indices[row]);
            words_[sentence].push_back(static_cast<std::int32_t>(best[i]));
            SentenceLoss& loss = losses_[sentence];
            loss.nats += nats_N.const_data_ptr<float>()[i];
            loss.correct += best[i] == batch.labels[i] ? 1 : 0;
            ++loss.tokens;
        }
    }

    TaskMetrics metrics(double) const override {
        std::vector<SentenceLoss> losses = losses_;
        std::vector<std::string> forced;
        for (std::size_t i = 0; i < losses.size(); ++i) {
            losses[i].sourceLength = corpus_.sourceBegin[i + 1] - corpus_.sourceBegin[i];
            Sentence words = words_[i];
            words.erase(std::find(words.begin(), words.end(), kEos), words.end());
            forced.push_back(target_.decode(words));
        }
        TaskMetrics metrics;
        const TeacherForcedReadings readings = teacherForcedReadings(forced, corpus_.targetText, {bleu_});
        addMetric(metrics, readings.bleu);
        addMetric(metrics, readings.charpos);
        addParts(metrics, lossByLength(losses, LengthBuckets(kLengths)));
        return metrics;
    }

private:
    const EncodedCorpus& corpus_;
    const Tokenizer& target_;
    const BleuOptions& bleu_;
    std::vector<Sentence> words_;       ///< of an example: the likeliest
    std::vector<SentenceLoss> losses_;  ///< of an example
};

class TranslationTask final : public Task {
public:
    TranslationTask(const RunSpec& spec, const RunData& data)
        : bleu_(
              bleuOptionsFor(data.targetTokenizer ? data.targetTokenizer->spec() : spec.data.tokenizer, data.valid.targetText)),
          source_(data.sourceTokenizer),
          target_(data.targetTokenizer) {}

    Batch makeBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices, std::int64_t) const override {
        return makePairBatch(corpus, indices);
    }

    at::Tensor headInput(const Model& model, const DeviceBatch& batch, const Forward& f) const override {
        const Memory memory{encodeBatch(model, batch, f), batch.source_BS, batch.sourcePadding};
        return headRows(model, model.decode(batch.target(), memory, f), batch);
    }

    std::unique_ptr<Predictions> predictions(const EncodedCorpus& corpus, PredictionUse) const override {
        return std::make_unique<TranslationPredictions>(corpus, *target_, bleu_);
    }

    bool decodes() const override { return true; }

    std::optional<TaskMetrics> decode(const Model& model, const SplitToDecode& request) const override {
        const EncodedCorpus& corpus = request.corpus;
        const auto count =
            static_cast<std::size_t>(request.sentences > 0 ? std::min(request.sentences, corpus.size()) : corpus.size());
        std::vector<Sentence> sources;
        for (std::size_t i = 0; i < count; ++i) sources.push_back(sentenceAt(corpus.source, corpus.sourceBegin, i));
        const auto began = std::chrono::steady_clock::now();
        const auto outputs = bestTranslations(model, sources, request.options);
        if (!outputs) return std::nullopt;
        std::vector<std::string> hypotheses;
        for (const Sentence& output : *outputs) hypotheses.push_back(target_->decode(output));
        TaskMetrics decoded;
        decoded.decoded = static_cast<std::int64_t>(count);
        decoded.decodingSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        const std::vector<std::string> references(corpus.targetText.begin(),
                                                  corpus.targetText.begin() + static_cast<std::ptrdiff_t>(count));
        BleuScore score = corpusBleu(hypotheses, references, bleu_);
        decoded.values.push_back({"bleu", score.bleu, score.signature, static_cast<std::int64_t>(count)});
        decoded.bleuSentences = std::move(score.sentences);
        decoded.bleuSmooth = std::move(score.smooth);
        ChrfOptions chrf;
        chrf.lowercase = bleu_.lowercase;
        addMetric(decoded, corpusChrf(hypotheses, references, chrf).value);
        std::vector<std::int64_t> lengths;
        for (const Sentence& source : sources) lengths.push_back(static_cast<std::int64_t>(source.size()));
        addParts(decoded, bleuByLength({lengths, hypotheses, references}, LengthBuckets(kLengths), bleu_));
        for (EvaluationDone::Value& value : decoded.values) value.signature += searchSignature(request.options.search);
        for (std::size_t i = 0; i < std::min(kSamples, count); ++i)
            decoded.samples.push_back(
                {static_cast<std::int64_t>(i), corpus.sourceText[i], corpus.targetText[i], std::move(hypotheses[i])});
        return decoded;
    }

    /// {"ask":"translate","text":…}
    std::optional<Json> answer(const Model& model, const Json& question, const DecodeOptions& how) const override {
        if (!question.is_object() || question.value("ask", "") != "translate" || !question.contains("text") ||
            !question["text"].is_string())
            throwInvalid("this run cannot answer such a question", "ask", "ask {\"ask\":\"translate\",\"text\":\"…\"}");
        DecodeRequest request;
        request.lines = {question["text"].get<std::string>()};
        const auto translations = translateLines(model, {*source_, *target_}, request, how);
        const Hypothesis& best = translations[0].hypotheses.front();
        return Json{{"text", best.text}, {"source_tokens", translations[0].sourceTokens}, {"target_tokens", best.tokens}};
    }

private:
    BleuOptions bleu_;
    std::shared_ptr<const Tokenizer> source_, target_;
};

}  // namespace

std::unique_ptr<Task> makeTranslationTask(const RunSpec& spec, const RunData& data) {
    return std::make_unique<TranslationTask>(spec, data);
}

}  // namespace heddle
