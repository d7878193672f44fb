// SPDX-License-Identifier: Apache-2.0
#include "engine/decode/lines.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "engine/model/device_batch.h"
#include "engine/spec/cost.h"
#include "engine/spec/variant_spec.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

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

/// Records the weights of the decoder's cross-attentions.
class CrossTaps final : public Taps {
public:
    explicit CrossTaps(const Model& model) {
        for (const std::string& path : model.attentionPaths())
            if (path.starts_with("decoder.") && path.ends_with(".cross")) paths_.insert(path);
    }

    bool wants(const std::string& module, const char* exposure) const override {
        return paths_.contains(module) && std::string_view(exposure) == kAttentionWeight;
    }

    at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& weight_BHQK) override {
        if (!wants(module, exposure)) return weight_BHQK;
        const at::Tensor host_HQK = weight_BHQK.detach().select(0, 0).to(at::kCPU, at::kFloat).contiguous();
        const auto pass = std::count_if(maps.begin(), maps.end(), [&](const auto& map) { return map.path == module; });
        const float* const values = host_HQK.const_data_ptr<float>();
        maps.push_back(
            {module, pass, host_HQK.size(0), host_HQK.size(1), host_HQK.size(2), {values, values + host_HQK.numel()}});
        return weight_BHQK;
    }

    std::vector<AttentionMap> maps;

private:
    std::set<std::string> paths_;
};

at::Tensor rowOf(std::vector<std::int64_t> ids, const at::Device& device) {
    const auto width = static_cast<std::int64_t>(ids.size());
    return idsToDevice(ids, {1, width}, device);
}

/// Cross-attention weights of a translation, layer by layer: row i is the step that produced token i (last: <eos>, if
/// produced), column k is token k of the source (last: <eos>).
std::vector<AttentionMap> crossAttention(const Model& model, const Sentence& source, const Decoded& translation,
                                         const DecodeOptions& options) {
    const at::NoGradGuard noGrad;
    std::vector<std::int64_t> sourceIds(source.begin(), source.end()), read{kSos};
    sourceIds.push_back(kEos);
    read.insert(read.end(), translation.tokens.begin(), translation.tokens.end());
    if (!translation.ended) read.pop_back();  // the decoder did not read the last token
    if (read.empty()) return {};
    CrossTaps taps(model);
    Forward forward;
    const at::Tensor source_BS = rowOf(sourceIds, options.device);
    const AutocastScope autocast(options.device, options.precision);
    const Memory memory{model.encode({source_BS, {}}, forward), source_BS};
    forward.taps = &taps;
    model.decode({rowOf(read, options.device), {}}, memory, forward);
    return std::move(taps.maps);
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
