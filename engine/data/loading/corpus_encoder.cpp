// SPDX-License-Identifier: Apache-2.0
#include "engine/data/loading/corpus_encoder.h"

#include "engine/base/error.h"
#include "engine/data/loading/output_limit.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {
namespace {

void append(std::vector<std::int32_t>& ids, std::vector<std::int64_t>& begin, const std::vector<std::int32_t>& sentence) {
    ids.insert(ids.end(), sentence.begin(), sentence.end());
    begin.push_back(static_cast<std::int64_t>(ids.size()));
}

}  // namespace

CorpusEncoder::CorpusEncoder(const LoadContext& context, const RunData& data, CancellationToken& cancellation)
    : source_(*data.sourceTokenizer),
      target_(*data.targetTokenizer),
      cancellation_(cancellation),
      maxLen_(context.maxLen),
      maxTokens_(context.spec.data.maxTokens > 0 ? std::min(context.spec.data.maxTokens, maxLen_) : maxLen_),
      reports_{reportOf(source_, "source"), reportOf(target_, "target")} {}

template <typename Visit>
void CorpusEncoder::forEachPair(const ParallelText& text, const std::string& name, Visit&& visit) {
    TokenCounter sources(source_, name), targets(target_, name);
    std::int64_t beyond = 0;  // targets that no decoding would write whole
    for (std::size_t i = 0; i < text.source.size(); ++i) {
        cancellation_.tick();
        Pair pair{source_.encode(text.source[i]), target_.encode(text.target[i])};
        sources.add(pair.source);
        targets.add(pair.target);
        const std::int64_t length = std::ssize(pair.target) + 1;  // those beyond maxLen_ are counted by the visitor
        beyond += !pair.source.empty() && length <= maxLen_ && length > longestOutput(std::ssize(pair.source), maxLen_) ? 1 : 0;
        visit(pair);
    }
    if (text.source.empty()) return;
    if (beyond > 0)
        warnings_.push_back(
            {name, fmt::format("{}: {} of {} targets are longer than decoding writes (twice the tokens of the source, and "
                               "10): their translations are cut",
                               name, beyond, text.source.size())});
    reports_[0].texts.push_back(sources.counts());
    reports_[1].texts.push_back(targets.counts());
}

EncodedCorpus CorpusEncoder::train(const ParallelText& text) {
    EncodedCorpus corpus;
    std::int64_t empty = 0, tooLong = 0;
    forEachPair(text, "train", [&](const Pair& pair) {
        const auto longer = static_cast<std::int64_t>(std::max(pair.source.size(), pair.target.size())) + 1;
        if (pair.source.empty() || pair.target.empty()) {
            ++empty;
        } else if (longer > maxTokens_) {
            ++tooLong;
        } else {
            append(corpus.source, corpus.sourceBegin, pair.source);
            append(corpus.target, corpus.targetBegin, pair.target);
        }
    });
    const std::string left =
        fmt::format("train: {} of {} pairs left out: {} with an empty side, {} longer than {} tokens with <eos>",
                    empty + tooLong, text.source.size(), empty, tooLong, maxTokens_);
    if (corpus.size() == 0) throwInvalid(left, "data.train", "check the files, or raise data.max_tokens and dims.max_len");
    const bool isMany = 20 * (empty + tooLong) > std::ssize(text.source);  // one in 20: another training set
    if (isMany)
        warnings_.push_back({"train", left});
    else if (empty + tooLong > 0)
        notes_.push_back(left);
    return corpus;
}

EncodedCorpus CorpusEncoder::evaluation(const ParallelText& text, const std::string& name) {
    EncodedCorpus corpus;
    std::int64_t sources = 0, targets = 0;
    const auto room = static_cast<std::size_t>(maxLen_ - 1);
    forEachPair(text, name, [&](Pair& pair) {
        sources += pair.source.size() > room ? 1 : 0;
        targets += pair.target.size() > room ? 1 : 0;
        pair.source.resize(std::min(pair.source.size(), room));
        pair.target.resize(std::min(pair.target.size(), room));
        append(corpus.source, corpus.sourceBegin, pair.source);
        append(corpus.target, corpus.targetBegin, pair.target);
    });
    if (sources + targets > 0)
        warnings_.push_back({name, fmt::format("{}: {} sources and {} targets of {} pairs were cut to {} tokens (dims.max_len)",
                                               name, sources, targets, text.source.size(), room)});
    return corpus;
}

}  // namespace heddle
