// SPDX-License-Identifier: Apache-2.0
#include "engine/train/report/sentence_pass.h"

#include "engine/device/torch_pch.h"
#include "engine/model/device_batch.h"

#include <map>

namespace heddle {
namespace {

/// Records exposures.
class RecordedExposures final : public Taps {
public:
    explicit RecordedExposures(const std::vector<ModuleExposure>& wanted) {
        for (const ModuleExposure& one : wanted) wanted_[one.path()] = &one;
    }
    bool wants(const std::string& module, const char* exposure) const override {
        return wanted_.contains(module + "." + exposure);
    }
    at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& value) override {
        const auto found = wanted_.find(module + "." + exposure);
        if (found != wanted_.end()) shown.push_back({found->second, value.detach()});
        return value;
    }
    std::vector<SentencePass::Shown> shown;

private:
    std::map<std::string, const ModuleExposure*> wanted_;
};

/// Patches by row and column, from 1.
std::vector<std::string> patchNames(const Images& images, std::int64_t patches) {
    const std::int64_t side = images.width * images.height / patches;  // pixels per patch
    std::int64_t across = 1;
    while (across * across * side < images.width * images.width) ++across;
    std::vector<std::string> names;
    for (std::int64_t i = 0; i < patches; ++i)
        names.push_back(std::to_string(i / across + 1) + "," + std::to_string(i % across + 1));
    return names;
}

/// There may be one more position than in the batch: a learned class token before the first patch.
std::vector<std::string> named(std::vector<std::string> tokens, std::int64_t count) {
    if (static_cast<std::int64_t>(tokens.size()) + 1 == count) tokens.insert(tokens.begin(), "class");
    return tokens;
}

bool encodes(const std::string& sublayer) { return sublayer.starts_with("encoder."); }

/// The names of the `count` positions of the sublayer's keys.
std::vector<std::string> keyTokens(const SentenceInput& sentence, const std::string& sublayer, std::int64_t count) {
    const bool looksAtSource = encodes(sublayer) || sublayer.ends_with(".cross");
    return named(looksAtSource ? sentence.sourceTokens : sentence.targetTokens, count);
}

}  // namespace

std::vector<std::string> tokensOf(const Tokenizer& tokenizer, const std::vector<std::int64_t>& ids) {
    std::vector<std::string> tokens;
    for (const auto id : ids) tokens.push_back(tokenizer.token(static_cast<std::int32_t>(id)));
    return tokens;
}

SentenceInput sentenceOf(const RunData& data, const EncodedCorpus& corpus, const Task& task, std::int64_t index) {
    SentenceInput sentence{task.makeEvaluationBatch(corpus, {index}), {}, {}};
    if (!sentence.batch.patches.empty())
        sentence.sourceTokens = patchNames(corpus.images, sentence.batch.sourceWidth);
    else if (data.sourceTokenizer)
        sentence.sourceTokens = tokensOf(*data.sourceTokenizer, sentence.batch.source);
    if (data.targetTokenizer) sentence.targetTokens = tokensOf(*data.targetTokenizer, sentence.batch.targetIn);
    return sentence;
}

SentencePass passSentence(const Model& model, const Task& task, const SentenceInput& sentence,
                          const std::vector<ModuleExposure>& wanted, const ComputePlace& place) {
    const at::NoGradGuard noGrad;
    RecordedExposures recorded(wanted);
    Forward forward;
    forward.taps = &recorded;
    const AutocastScope autocast(place.device, place.precision);
    at::Tensor logits = task.logits(model, toDevice(sentence.batch, place.device), forward);
    return {std::move(recorded.shown), std::move(logits)};
}

std::vector<std::string> queryTokens(const SentenceInput& sentence, const std::string& sublayer, std::int64_t count) {
    return named(encodes(sublayer) ? sentence.sourceTokens : sentence.targetTokens, count);
}

MapTaken mapOf(const SentencePass::Shown& shown, const SentenceInput& sentence, std::int64_t probe) {
    const at::Tensor map_HQK = shown.value.select(0, 0).to(at::kCPU, at::kFloat).contiguous();
    MapTaken taken;
    taken.name = shown.exposure->exposure.id;
    taken.path = shown.exposure->module;
    taken.probe = probe;
    taken.heads = map_HQK.size(0), taken.rows = map_HQK.size(1), taken.columns = map_HQK.size(2);
    taken.values.assign(map_HQK.const_data_ptr<float>(), map_HQK.const_data_ptr<float>() + map_HQK.numel());
    taken.rowTokens = queryTokens(sentence, shown.exposure->sublayer, taken.rows);
    taken.columnTokens = keyTokens(sentence, shown.exposure->sublayer, taken.columns);
    return taken;
}

}  // namespace heddle
