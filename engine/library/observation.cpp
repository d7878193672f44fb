// SPDX-License-Identifier: Apache-2.0
#include "engine/library/observation.h"

#include "engine/base/error.h"
#include "engine/data/batching/batch.h"
#include "engine/data/loading/run_data.h"
#include "engine/data/loading/span_kinds.h"
#include "engine/device/torch_pch.h"
#include "engine/model/device_batch.h"
#include "engine/spec/cost.h"
#include "engine/spec/task_kinds.h"
#include "engine/tasks/labelling.h"

namespace heddle {
namespace {

bool isMap(const Exposure& exposure) { return exposure.axes == "BHQK" && exposure.quantity != Exposure::Quantity::Delta; }

bool isGateOverPositions(const Exposure& exposure) { return exposure.isGate() && exposure.axes == "BSD"; }

PositionMeans meansOf(const SentencePass::Shown& shown, const SentenceInput& sentence) {
    const at::Tensor means_S = shown.value.select(0, 0).to(at::kCPU, at::kFloat).mean(-1).contiguous();
    PositionMeans means{shown.exposure->exposure.id, shown.exposure->module, {}, {}};
    means.values.assign(means_S.const_data_ptr<float>(), means_S.const_data_ptr<float>() + means_S.numel());
    means.tokens = queryTokens(sentence, shown.exposure->sublayer, means_S.numel());
    return means;
}

std::vector<LabelLoss> lossesOf(const Task& task, const RunData& data, const SentencePass& pass, const DeviceBatch& batch,
                                const Batch& host) {
    if (host.labels.empty()) return {};
    const at::NoGradGuard noGrad;
    const LossSums sums = task.loss(pass.logits, batch);
    if (!sums.nll_N.defined() || !sums.best_N.defined() || sums.nll_N.numel() != std::ssize(host.labels)) return {};
    const at::Tensor nll_N = sums.nll_N.to(at::kCPU, at::kFloat).contiguous();
    const at::Tensor best_N = sums.best_N.to(at::kCPU).contiguous();
    std::vector<LabelLoss> losses;
    for (std::size_t i = 0; i < host.labels.size(); ++i)
        if (host.labels[i] >= 0)
            losses.push_back({labelName(data, host.labels[i]), static_cast<double>(nll_N.const_data_ptr<float>()[i]),
                              labelName(data, best_N.const_data_ptr<std::int64_t>()[i])});
    return losses;
}

EncodedCorpus corpusOfText(const OpenedModel& opened, const std::string& text, const std::string& target) {
    const TaskKind& kind = taskKind(opened.spec.data.task);
    const RunData& data = opened.data;
    const auto tab = text.find('\t');
    const Unlabelled given{text.substr(0, tab), tab == std::string::npos ? "" : text.substr(tab + 1), {}, {}};
    const std::int64_t longest = longestSequence(opened.model->variant());
    if (kind.target == TaskKind::Target::Translation) {
        EncodedCorpus pair;
        pair.source = data.sourceTokenizer->encode(text);
        pair.target = data.targetTokenizer->encode(target);
        pair.sourceBegin.push_back(std::ssize(pair.source));
        pair.targetBegin.push_back(std::ssize(pair.target));
        return pair;
    }
    if (kind.predictsTokens()) return encodeTexts(*data.targetTokenizer, {given}, longest);
    std::optional<EncodedCorpus> corpus =
        kind.input == TaskKind::Input::Text ? opened.task->encode({given}, longest) : std::nullopt;
    if (!corpus)
        throw Error(ErrorCode::Usage, "a run of task " + kind.id + " does not accept a free text", "text", "choose an example");
    return std::move(*corpus);
}

}  // namespace

std::string labelName(const RunData& data, std::int64_t label) {
    if (!data.classes.empty() && data.classes.front() == kAnswerKind) return std::to_string(label);  // a position of the row
    if (!data.classes.empty()) return label < std::ssize(data.classes) ? data.classes[static_cast<std::size_t>(label)] : "";
    return data.targetTokenizer ? data.targetTokenizer->token(static_cast<std::int32_t>(label)) : std::to_string(label);
}

SentenceInput sentenceOfText(const OpenedModel& opened, const std::string& text, const std::string& target) {
    SentenceInput sentence = sentenceOf(opened.data, corpusOfText(opened, text, target), *opened.task, 0);
    const std::int64_t longest = longestSequence(opened.model->variant());
    const std::int64_t width = std::max(sentence.batch.sourceWidth, sentence.batch.targetWidth);
    if (width > longest)
        throwInvalid("the text has " + std::to_string(width) + " tokens, the model accepts at most " + std::to_string(longest),
                     "text", "shorten it");
    return sentence;
}

void addPass(const Model& model, const Task& task, const RunData& data, const SentenceInput& sentence,
             const ComputePlace& place, Observation& made) {
    std::vector<ModuleExposure> wanted = exposuresOf(model.variant());
    std::erase_if(wanted, [](const ModuleExposure& one) { return !isMap(one.exposure) && !isGateOverPositions(one.exposure); });
    const SentencePass pass = passSentence(model, task, sentence, wanted, place);
    for (const SentencePass::Shown& shown : pass.shown) {
        if (isMap(shown.exposure->exposure))
            made.maps.push_back(mapOf(shown, sentence, 0));
        else
            made.means.push_back(meansOf(shown, sentence));
    }
    made.losses = lossesOf(task, data, pass, toDevice(sentence.batch, place.device), sentence.batch);
}

}  // namespace heddle
