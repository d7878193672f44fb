// SPDX-License-Identifier: Apache-2.0
#include "engine/decode/lines.h"

#include "engine/base/error.h"
#include "engine/decode/cross_attention.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/cost.h"

#include <iterator>

namespace heddle {
namespace {

DecodeOptions withSearch(DecodeOptions options, const SearchOptions& search) {
    options.search = search;
    return options;
}

/// `before`: the tokens of the prompt.
Hypothesis hypothesisOf(const Decoded& decoded, const Tokenizer& tokenizer, const Sentence& before) {
    Sentence whole = before;
    whole.insert(whole.end(), decoded.tokens.begin(), decoded.tokens.end());
    Hypothesis hypothesis{tokenizer.decode(whole), {}, decoded.ended, decoded.logProbability, decoded.score, {}};
    for (const auto id : decoded.tokens) hypothesis.tokens.push_back(tokenizer.token(id));
    return hypothesis;
}

std::vector<Sentence> encodeLines(const Model& model, const Tokenizer& tokenizer, const DecodeRequest& request) {
    const auto longest = longestSequence(model.variant());
    std::vector<Sentence> sentences;
    for (std::size_t i = 0; i < request.lines.size(); ++i) {
        sentences.push_back(tokenizer.encode(request.lines[i]));
        if (std::ssize(sentences.back()) >= longest)
            throwInvalid("the sentence has " + std::to_string(sentences.back().size() + 1) +
                             " tokens including <eos>, the model accepts at most " + std::to_string(longest),
                         "line " + std::to_string(request.search.firstLine + static_cast<std::int64_t>(i) + 1),
                         "split the sentence");
    }
    return sentences;
}

}  // namespace

std::vector<DecodedLine> translateLines(const Model& model, const TokenizerPair& tokenizers, const DecodeRequest& request,
                                        const DecodeOptions& options) {
    std::vector<DecodedLine> results(request.lines.size());
    const std::vector<Sentence> sources = encodeLines(model, tokenizers.source, request);
    const DecodeOptions searching = withSearch(options, request.search);
    const auto decoded = decodeTranslations(model, sources, searching);
    if (!decoded) throw Error(ErrorCode::Failure, "the translation was interrupted", "translate", "ask again");
    for (std::size_t i = 0; i < decoded->size(); ++i) {
        DecodedLine& line = results[i];
        line.sourceTokens = tokenizers.source.tokens(request.lines[i]);
        for (const Decoded& one : (*decoded)[i]) line.hypotheses.push_back(hypothesisOf(one, tokenizers.target, {}));
        if (request.attention == DecodeRequest::Attention::Cross && !sources[i].empty())
            line.hypotheses.front().cross = crossAttention(model, sources[i], (*decoded)[i].front(), searching);
    }
    return results;
}

std::vector<DecodedLine> continueLines(const Model& model, const Tokenizer& tokenizer, const DecodeRequest& request,
                                       const DecodeOptions& options) {
    std::vector<Sentence> prompts;
    for (const std::string& line : request.lines) prompts.push_back(tokenizer.encode(line));
    const auto decoded = decodeContinuations(model, prompts, withSearch(options, request.search));
    if (!decoded) throw Error(ErrorCode::Failure, "the text was interrupted", "generate", "ask again");
    std::vector<DecodedLine> results(request.lines.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        results[i].sourceTokens = tokenizer.tokens(request.lines[i]);
        for (const Decoded& one : (*decoded)[i]) results[i].hypotheses.push_back(hypothesisOf(one, tokenizer, prompts[i]));
    }
    return results;
}

}  // namespace heddle
