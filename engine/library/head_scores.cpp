// SPDX-License-Identifier: Apache-2.0
#include "engine/library/head_scores.h"

#include "engine/base/error.h"
#include "engine/device/precision.h"
#include "engine/device/random.h"
#include "engine/device/torch_pch.h"
#include "engine/library/example_scores.h"
#include "engine/model/device_batch.h"
#include "engine/run/interventions.h"
#include "engine/spec/cost.h"
#include "engine/spec/task_kinds.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace heddle {
namespace {

bool isSelf(const std::string& path) { return path.ends_with(".self"); }
bool isCross(const std::string& path) { return path.ends_with(".cross"); }

std::vector<std::int32_t> idsOf(const std::vector<std::int32_t>& ids, const std::vector<std::int64_t>& begin, std::int64_t i) {
    return {ids.begin() + begin[static_cast<std::size_t>(i)], ids.begin() + begin[static_cast<std::size_t>(i) + 1]};
}

/// Random tokens, each once.
std::vector<std::int64_t> randomTokens(std::int64_t sequence, std::int64_t length, std::int32_t first, std::int64_t words) {
    std::vector<std::int64_t> tokens(static_cast<std::size_t>(words - first));
    std::iota(tokens.begin(), tokens.end(), std::int64_t{first});
    const RandomKey key = randomKey(kRepeatedSeed, "repeated", static_cast<std::uint64_t>(sequence));
    for (std::int64_t i = 0; i < length; ++i) {
        const auto left = static_cast<std::uint64_t>(std::ssize(tokens) - i);
        std::swap(tokens[static_cast<std::size_t>(i)],
                  tokens[static_cast<std::size_t>(i) + randomBits(key, static_cast<std::uint64_t>(i)) % left]);
    }
    tokens.resize(static_cast<std::size_t>(length));
    return tokens;
}

/// The head's map without its bias, [D,V]; undefined: the head is not linear, so that it has none.
at::Tensor linearOutput(const Model& model, const at::Tensor& unit_DD) {
    const at::Tensor nothing_DV = model.logits(at::zeros_like(unit_DD));
    const at::Tensor once_DV = model.logits(unit_DD) - nothing_DV, twice_DV = model.logits(2 * unit_DD) - nothing_DV;
    return at::allclose(twice_DV, 2 * once_DV, 1e-3, 1e-4) ? once_DV : at::Tensor();
}

class HeadScorer {
public:
    explicit HeadScorer(const HeadScoring& scoring) : scoring_(scoring), model_(scoring.on.model) {
        const auto attentions = interventionTargets(model_.variant()).attentions;
        if (attentions.empty())
            throw Error(ErrorCode::Usage, "this model has no attention head", "--labels", "choose a run with attention");
        for (const auto& [path, heads] : attentions) {
            std::vector<HeadScores>& scores = scores_[path];
            for (std::int64_t head = 0; head < heads; ++head) {
                HeadScores& one = scores.emplace_back();
                one.path = path, one.head = head;
            }
            order_.push_back(path);
        }
        readAlignments();
    }

    /// False when it was interrupted.
    bool score() {
        for (std::int64_t i = 0; i < scoring_.on.corpus.size(); ++i) {
            if (scoring_.on.options.interrupted()) return false;
            addExample(i);
        }
        noteExamples();
        noteRepeats();
        noteCopying();
        return true;
    }

    std::vector<HeadScores> heads() const {
        std::vector<HeadScores> all;
        for (const std::string& path : order_) {
            const auto& heads = scores_.at(path);
            all.insert(all.end(), heads.begin(), heads.end());
        }
        for (HeadScores& one : all) one.labels = labelsOf(one);
        return all;
    }
    std::vector<std::string> warnings() const {
        if (unaligned_ == 0) return {};
        return {"sentence pairs without error rates, because their words one by one have other tokens than the sentence: " +
                std::to_string(unaligned_)};
    }

private:
    void readAlignments() {
        const LabelsRequest& request = scoring_.request;
        if (request.alignments.empty()) return;
        if (model_.variant().encoder.empty() || model_.variant().decoder.empty())
            throw Error(ErrorCode::Usage, "this model translates nothing, so that it has no alignments", "--alignments",
                        "remove it");
        const auto lines = std::ssize(request.alignments);
        if (lines != scoring_.examples)
            throwInvalid("it has " + std::to_string(lines) + " lines, and the split has " + std::to_string(scoring_.examples) +
                             " examples",
                         request.alignmentsName, "give a line for each example of the split");
        for (std::int64_t i = 0; i < scoring_.on.corpus.size(); ++i)
            gold_.push_back(parseAlignment(request.alignments[static_cast<std::size_t>(i)],
                                           request.alignmentsName + ":" + std::to_string(i + 1)));
    }

    /// The weights of a pass over one row, which has no padding.
    std::map<std::string, at::Tensor> weightsOf(std::int64_t row) const {
        const auto& [model, task, corpus, options] = scoring_.on;
        WeightTaps taps;
        Forward forward;
        forward.taps = &taps;
        const AutocastScope autocast(options.device, options.precision);
        task.logits(model, toDevice(task.makeEvaluationBatch(corpus, {row}), options.device), forward);
        return std::move(taps.weights);
    }

    void addExample(std::int64_t row) {
        const auto weights = weightsOf(row);
        std::optional<WordsOfPair> words;
        if (!gold_.empty()) {
            words = wordsOf(row);
            if (!words) ++unaligned_;
        }
        for (const auto& [path, weights_1HQK] : weights) {
            const at::Tensor weights_HQK = weights_1HQK.select(0, 0);
            if (isSelf(path)) sums_[path].addSelf(weights_HQK);
            if (!isCross(path)) continue;
            sums_[path].addEntropy(weights_HQK);
            if (!words) continue;
            const auto links = largestWeightLinks(weights_HQK, *words);
            auto& counts = counts_[path];
            counts.resize(links.size());
            for (std::size_t head = 0; head < links.size(); ++head)
                counts[head].add(links[head], gold_[static_cast<std::size_t>(row)]);
        }
    }

    std::optional<WordsOfPair> wordsOf(std::int64_t row) const {
        const EncodedCorpus& corpus = scoring_.on.corpus;
        const auto at = static_cast<std::size_t>(row);
        auto source =
            wordsOfTokens(*scoring_.data.sourceTokenizer, corpus.sourceText[at], idsOf(corpus.source, corpus.sourceBegin, row));
        auto target =
            wordsOfTokens(*scoring_.data.targetTokenizer, corpus.targetText[at], idsOf(corpus.target, corpus.targetBegin, row));
        if (!source || !target) return std::nullopt;
        return WordsOfPair{std::move(*source), std::move(*target)};
    }

    /// Sets a score of every head of an attention to its part of the sums.
    void note(const std::string& path, std::optional<double> HeadScores::*score, const at::Tensor& sums_H, std::int64_t n) {
        if (!sums_H.defined() || n <= 0) return;
        const at::Tensor means_H = (sums_H / static_cast<double>(n)).to(at::kCPU).contiguous();
        auto& heads = scores_.at(path);
        for (std::size_t head = 0; head < heads.size(); ++head) heads[head].*score = means_H.const_data_ptr<double>()[head];
    }

    void noteExamples() {
        for (const auto& [path, sums] : sums_) {
            note(path, &HeadScores::previous, sums.previous_H, sums.queries);
            note(path, &HeadScores::current, sums.current_H, sums.queries);
            note(path, &HeadScores::first, sums.first_H, sums.queries);
            note(path, &HeadScores::entropy, sums.entropy_H, sums.queries);
            if (path.starts_with("encoder.")) note(path, &HeadScores::next, sums.next_H, sums.queriesWithNext);
            for (HeadScores& one : scores_.at(path)) one.queries = sums.queries;
        }
        for (const auto& [path, counts] : counts_) {
            for (std::size_t head = 0; head < counts.size(); ++head) {
                scores_.at(path)[head].errorRate = counts[head].errorRate();
                scores_.at(path)[head].links = counts[head].links;
            }
        }
    }

    /// On random tokens twice: of models that read nothing but the sequence.
    void noteRepeats() {
        if (scoring_.task.target != TaskKind::Target::NextToken) return;
        const std::int64_t words = model_.variant().dims.vocabTgt;
        const std::int32_t first = scoring_.data.targetTokenizer ? scoring_.data.targetTokenizer->specials() : 0;
        const bool isMarked = scoring_.on.corpus.source.front() == kSos;
        const std::int64_t room = (longestSequence(model_.variant()) - (isMarked ? 1 : 0)) / 2;
        const std::int64_t length = std::min({kLongestRepeated, words - first, room});
        if (length < 2) return;
        std::vector<std::int64_t> ids;
        for (std::int64_t sequence = 0; sequence < kRepeatedSequences; ++sequence) {
            const std::vector<std::int64_t> tokens = randomTokens(sequence, length, first, words);
            if (isMarked) ids.push_back(kSos);
            for (int twice = 0; twice < 2; ++twice) ids.insert(ids.end(), tokens.begin(), tokens.end());
        }
        addRepeats(ids, isMarked ? 1 : 0, length);
    }

    void addRepeats(const std::vector<std::int64_t>& ids, std::int64_t marks, std::int64_t length) {
        const auto& options = scoring_.on.options;
        const at::Tensor ids_BS = idsToDevice(ids, {kRepeatedSequences, marks + 2 * length}, options.device);
        WeightTaps taps;
        Forward forward;
        forward.taps = &taps;
        {
            const AutocastScope autocast(options.device, options.precision);
            model_.decode({ids_BS, {}, Padding::None}, {}, forward);
        }
        const std::int64_t queries = kRepeatedSequences * length;
        for (const auto& [path, weights_BHQK] : taps.weights) {
            if (!isSelf(path)) continue;
            const RepeatSums sums = repeatSums(weights_BHQK, marks, length);
            note(path, &HeadScores::duplicate, sums.duplicate_H, queries);
            note(path, &HeadScores::induction, sums.induction_H, queries);
            for (HeadScores& one : scores_.at(path)) one.repeated = queries;
        }
    }

    /// Of self-attention in the stack that the head reads, whose embedding has the words that the head predicts.
    void noteCopying() {
        const ResolvedVariant& variant = model_.variant();
        const at::Tensor shared_VD = model_.parameters().find("embed.shared.weight");
        const at::Tensor embed_VD = shared_VD.defined() ? shared_VD : model_.parameters().find("embed.target.weight");
        if (!embed_VD.defined() || !scoring_.task.predictsTokens()) return;
        const std::int64_t width = variant.dims.d;
        const at::Tensor output_DV = linearOutput(model_, at::eye(width, embed_VD.options()));
        if (!output_DV.defined()) return;
        const at::Tensor through_DD = embed_VD.to(at::kDouble).t().matmul(output_DV.to(at::kDouble).t()).to(at::kCPU);
        const std::string stack = variant.decoder.empty() ? "encoder." : "decoder.";
        for (auto& [path, heads] : scores_) {
            if (!isSelf(path) || !path.starts_with(stack)) continue;
            const at::Tensor value_ED = model_.parameters().find(path + ".value.v.weight");
            const at::Tensor out_DE = model_.parameters().find(path + ".value.out.weight");
            if (!value_ED.defined() || !out_DE.defined() || value_ED.size(1) != width || out_DE.size(0) != width) continue;
            for (HeadScores& one : heads)
                one.copying = copyingScore(through_DD, {value_ED, out_DE, one.head, std::ssize(heads)});
        }
    }

    const HeadScoring& scoring_;
    const Model& model_;
    std::vector<std::string> order_;
    std::map<std::string, std::vector<HeadScores>> scores_;
    std::map<std::string, QuerySums> sums_;
    std::map<std::string, std::vector<AlignmentCounts>> counts_;
    std::vector<GoldAlignment> gold_;
    std::int64_t unaligned_ = 0;
};

}  // namespace

bool scoreHeads(const HeadScoring& scoring, LabelsReport& report) {
    const at::NoGradGuard noGrad;
    HeadScorer scorer(scoring);
    if (!scorer.score()) return false;
    report.heads = scorer.heads();
    for (std::string& warning : scorer.warnings()) report.warnings.push_back(std::move(warning));
    return true;
}

}  // namespace heddle
