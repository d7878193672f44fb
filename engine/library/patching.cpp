// SPDX-License-Identifier: Apache-2.0
#include "engine/library/patching.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "engine/library/effects.h"
#include "engine/library/observation.h"
#include "engine/model/device_batch.h"
#include "engine/model/patched_model.h"
#include "engine/spec/task_kinds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace heddle {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

[[noreturn]] void refuseOther(const std::string& why) {
    throw Error(ErrorCode::Usage, "the other model cannot be patched into this one: " + why, "--patch-from",
                "choose a checkpoint of this run, or of a run with the same variant and vocabularies");
}

bool isSameTokenizer(const std::shared_ptr<const Tokenizer>& a, const std::shared_ptr<const Tokenizer>& b) {
    return (!a && !b) || (a && b && a->hash() == b->hash());
}

/// The logits of the last position, of the answer, float64 on the CPU.
at::Tensor answerLogits(const OpenedModel& opened, const SentenceInput& sentence, Taps& taps) {
    Forward forward;
    forward.taps = &taps;
    const AutocastScope autocast(opened.device, opened.precision);
    const at::Tensor logits_NC = opened.task->logits(*opened.model, toDevice(sentence.batch, opened.device), forward);
    return logits_NC.select(0, -1).to(at::kCPU, at::kDouble);
}

MetricEffect lossAmong(const std::vector<MetricEffect>& effects) {
    for (const MetricEffect& effect : effects)
        if (effect.metric == "loss") return effect;
    return {};
}

template <class Entry>
void sortByRestored(std::vector<Entry>& entries) {
    const auto rank = [](const Entry& entry) {
        return std::isnan(entry.restored) ? -std::numeric_limits<double>::infinity() : entry.restored;
    };
    std::stable_sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) { return rank(a) > rank(b); });
}

void requireSameLength(const char* what, std::size_t clean, std::size_t corrupt) {
    if (clean != corrupt)
        throw Error(ErrorCode::Usage,
                    std::string("the texts have ") + std::to_string(clean) + " and " + std::to_string(corrupt) +
                        " tokens of the " + what + ", and patching puts position on position",
                    "--corrupt", "give a text with as many tokens as --text has");
}

}  // namespace

void requireSameShape(const OpenedModel& model, const OpenedModel& other) {
    const ResolvedVariant &mine = model.model->variant(), &theirs = other.model->variant();
    const auto sizes = [](const ResolvedVariant& variant) {
        const Dims& dims = variant.dims;
        return std::tuple(variant.topology, dims.d, dims.heads, dims.valueDim, dims.layersEnc, dims.layersDec);
    };
    if (sizes(mine) != sizes(theirs)) refuseOther("its layers, heads or widths differ");
    if (patchableParts(interventionTargets(mine)) != patchableParts(interventionTargets(theirs)))
        refuseOther("its sublayers differ");
    const RunData &words = model.data, &others = other.data;
    if (!isSameTokenizer(words.sourceTokenizer, others.sourceTokenizer) ||
        !isSameTokenizer(words.targetTokenizer, others.targetTokenizer) || words.classes != others.classes)
        refuseOther("its vocabulary differs");
}

PatchReport patchReport(const std::vector<MetricEffect>& effects) {
    PatchReport report;
    report.whole = lossAmong(effects);
    return report;
}

void addEntry(PatchReport& report, const PatchedPart& part, const std::vector<MetricEffect>& effects) {
    PatchReport::Entry entry{part, lossAmong(effects), kUndefined};
    const double whole = report.whole.difference();
    if (whole != 0) entry.restored = entry.loss.difference() / whole;
    report.entries.push_back(std::move(entry));
}

void finish(PatchReport& report) {
    std::vector<MetricEffect*> losses;
    for (PatchReport::Entry& entry : report.entries)
        if (entry.loss.interval) losses.push_back(&entry.loss);
    correctForCandidates(losses, report.all);
    sortByRestored(report.entries);
}

std::string commonWords(const std::string& a, const std::string& b) {
    const auto ofA = splitWords(a, WordSplit::Whitespace), ofB = splitWords(b, WordSplit::Whitespace);
    const auto end = std::mismatch(ofA.begin(), ofA.end(), ofB.begin(), ofB.end()).first;
    return joinWords({ofA.begin(), end}, WordSplit::Whitespace);
}

void requireAnswer(const RunSpec& spec) {
    const TaskKind& kind = taskKind(spec.data.task);
    using Target = TaskKind::Target;
    const bool answers = kind.target == Target::Translation || kind.target == Target::NextToken || kind.target == Target::Class;
    if (!answers || kind.input != TaskKind::Input::Text)
        throw Error(ErrorCode::Usage, "a run of task " + kind.id + " gives no single answer to a text", "--corrupt",
                    "patch from another checkpoint with --patch-from");
}

TextPatchReport patchTexts(const OpenedModel& opened, const TextPair& texts, const std::vector<PatchedPart>& parts) {
    const at::NoGradGuard noGrad;
    requireSameLength("input", texts.clean.sourceTokens.size(), texts.corrupt.sourceTokens.size());
    requireSameLength("output", texts.clean.targetTokens.size(), texts.corrupt.targetTokens.size());
    const ResolvedVariant& variant = opened.model->variant();
    std::vector<std::string> taps;
    for (const PatchedPart& part : parts) taps.push_back(partTap(part, variant));
    TapRecord record(taps), unused({});
    const at::Tensor clean_C = answerLogits(opened, texts.clean, record),
                     corrupt_C = answerLogits(opened, texts.corrupt, unused);
    const auto [right, wrong] = std::pair(clean_C.argmax().item<std::int64_t>(), corrupt_C.argmax().item<std::int64_t>());
    if (right == wrong)
        throw Error(ErrorCode::Usage, "both texts have the answer \"" + labelName(opened.data, right) + "\"", "--corrupt",
                    "give a text to which the model answers something else");
    const auto difference = [right = right, wrong = wrong](const at::Tensor& logits_C) {
        return (logits_C[right] - logits_C[wrong]).item<double>();
    };
    TextPatchReport report{
        labelName(opened.data, right), labelName(opened.data, wrong), "", difference(clean_C), difference(corrupt_C), {}, 0};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        TapReplay replay(taps[i], parts[i].head, record.of(taps[i]));
        const double patched = difference(answerLogits(opened, texts.corrupt, replay));
        report.entries.push_back({parts[i], patched, (patched - report.corrupt) / (report.clean - report.corrupt)});
    }
    sortByRestored(report.entries);
    return report;
}

}  // namespace heddle
