// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/task_kinds.h"

#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/suggestion.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/variant_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace heddle {
namespace {

/// Returns the head and, after it, all other heads with the same kind of outputs.
std::vector<std::string> headsLike(const std::string& head) {
    std::vector<std::string> heads{head};
    const HeadOutputs outputs = builtinCatalogue().at("head", head).outputs;
    for (const BlockDescriptor* other : builtinCatalogue().ofSlot("head"))
        if (other->outputs == outputs && other->id != head) heads.push_back(other->id);
    return heads;
}

std::vector<TaskKind> makeKinds() {
    using Input = TaskKind::Input;
    using Target = TaskKind::Target;
    const std::vector<Topology> encoders{Topology::Encoder, Topology::BiLstm};
    return {
        {"translation",
         "Translation",
         "Translate a sentence: the second text of a pair, given the first.",
         Input::Text,
         Target::Translation,
         {Topology::EncoderDecoder},
         headsLike("lm"),
         {"bleu", "chrf", "accuracy"}},
        {"mlm",
         "Masked language model",
         "Masked language modelling (Devlin et al. 2019, section 3.1): predict masked tokens.",
         Input::Text,
         Target::MaskedTokens,
         encoders,
         headsLike("mlm"),
         {"accuracy"}},
        {"denoise",
         "Denoising",
         "Denoising (StarSaber, section 4.1): predict every original token of a text in which some were replaced.",
         Input::Text,
         Target::CleanTokens,
         encoders,
         headsLike("lm"),
         {"accuracy"}},
        {"causal_lm",
         "Causal language model",
         "Causal language modelling: predict the next token from the ones before it.",
         Input::Text,
         Target::NextToken,
         {Topology::Decoder},
         headsLike("lm"),
         {"perplexity", "accuracy"}},
        {"classify",
         "Classification",
         "Classify a text or a pair of texts.",
         Input::Text,
         Target::Class,
         encoders,
         headsLike("classify"),
         {"accuracy", "f1", "matthews"}},
        {"regress",
         "Regression",
         "Predict a number for a text or a pair of texts.",
         Input::Text,
         Target::Number,
         encoders,
         headsLike("regress"),
         {"pearson", "spearman"}},
        {"image",
         "Image classification",
         "Classify an image, read as patches.",
         Input::Image,
         Target::Class,
         {Topology::Encoder},
         headsLike("classify"),
         {"accuracy", "f1"}},
        {"tag",
         "Tagging",
         "Token classification: predict the class of every word.",
         Input::Text,
         Target::Tags,
         encoders,
         headsLike("tag"),
         {"span_f1", "accuracy"}},
        {"span",
         "Span answers",
         "Extractive question answering: find the span of a text that answers a question.",
         Input::Text,
         Target::Span,
         encoders,
         headsLike("span"),
         {"exact_match", "f1"}},
    };
}

/// Throws where the variant embeds words and the task reads images, or the other way round.
void throwIfNotRead(const TaskKind& task, const ResolvedVariant& variant) {
    const bool readsImages = task.input == TaskKind::Input::Image;
    if (patchesOf(variant).has_value() == readsImages) return;
    if (readsImages)
        throwInvalid(fmt::format("task {} reads images, but this variant embeds words", task.id), "variant, embed.source",
                     "set embed.source to patches");
    throwInvalid(fmt::format("task {} reads text, but this variant embeds image patches", task.id), "variant, embed.source",
                 "set data.task to image");
}

/// Throws where the documents of a row are to be kept apart and a block reads across them.
void throwIfDocumentsMeet(const RunSpec& spec, const ResolvedVariant& variant) {
    if (spec.data.packing != Packing::Documents) return;
    forEachBlock(variant, [](const std::string& path, const std::string& slot, const BlockChoice& choice, const auto&) {
        const BlockDescriptor& block = builtinCatalogue().at(slot, choice.id);
        if (!block.needsWholeRows || !block.needsWholeRows(choice.params)) return;
        throwInvalid(fmt::format("block \"{}\" at {} reads whole rows, so that the documents of a row would not be kept apart",
                                 choice.id, path),
                     "data.packing", "set data.packing to blocks or lines, or choose another block there");
    });
}

std::vector<FutureView> viewsOfAnswers(const RunSpec& spec) {
    using Target = TaskKind::Target;
    const Target target = taskKind(spec.data.task).target;
    if (target != Target::NextToken && target != Target::Translation) return {};
    if (spec.variant.isEmpty()) return {};  // a task alone has no model that could see anything
    return futureViews(spec.variant.resolve());
}

bool isOfAPreset(const FutureView& view) {
    const auto isSame = [&](const FutureView& other) {
        return other.sublayer == view.sublayer && other.slot == view.slot && other.block == view.block;
    };
    const std::vector<std::string> names = presetNames();
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        const VariantSpec preset = VariantSpec::parse(presetDocument(name), builtinCatalogue());
        const std::vector<FutureView> views = futureViews(preset.resolve());
        return std::any_of(views.begin(), views.end(), isSame);
    });
}

}  // namespace

const std::vector<TaskKind>& taskKinds() {
    static const std::vector<TaskKind> kinds = makeKinds();
    return kinds;
}

std::vector<std::string> taskNames() {
    std::vector<std::string> names;
    for (const TaskKind& kind : taskKinds()) names.push_back(kind.id);
    return names;
}

const TaskKind& taskKind(const std::string& id) {
    const auto& kinds = taskKinds();
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const TaskKind& kind) { return kind.id == id; });
    if (found == kinds.end()) throwInvalid(fmt::format("unknown task \"{}\"", id), "data.task", suggestion(id, taskNames()));
    return *found;
}

std::optional<std::int64_t> classesOfOutputs(const RunSpec& spec) {
    const auto outputs = spec.variant.statedClasses();
    return isBinaryHinge(spec) ? 2 : outputs;
}

bool isBinaryHinge(const RunSpec& spec) { return isHinge(spec.train.loss) && spec.variant.statedClasses() == 1; }

std::int64_t outputsFor(const RunSpec& spec, std::int64_t classes) {
    if (taskKind(spec.data.task).target == TaskKind::Target::Span) return 0;  // its names are kinds of answers, no outputs
    return isBinaryHinge(spec) ? 1 : classes;
}

bool isDecodedMetric(const std::string& metric) { return metric == "bleu" || metric == "chrf"; }

std::string visibleAnswerWarning(const RunSpec& spec) {
    const std::vector<FutureView> views = viewsOfAnswers(spec);
    if (views.empty()) return "";
    std::vector<std::string> names;
    for (const FutureView& view : views) names.push_back(fmt::format("{} ({})", view.path, view.block));
    return fmt::format(
        "every position attends to later ones, including the token that it predicts: {}. Loss, accuracy and perplexity do not "
        "measure this model",
        fmt::join(names, ", "));
}

void throwIfAnswerIsVisible(const RunSpec& spec) {
    if (taskKind(spec.data.task).target != TaskKind::Target::NextToken) return;
    for (const FutureView& view : viewsOfAnswers(spec)) {
        if (isOfAPreset(view)) continue;
        throwInvalid(fmt::format("with block \"{}\" every position attends to later ones, including the token that it "
                                 "predicts, so perplexity would be meaningless",
                                 view.block),
                     "variant, " + view.path,
                     view.slot == "mask" ? "set it to causal or padding_causal" : "use the defaults of its options");
    }
}

void throwIfNotTrainable(const RunSpec& spec) {
    const TaskKind& task = taskKind(spec.data.task);
    const ResolvedVariant resolved = spec.variant.resolve();
    if (!contains(task.topologies, resolved.topology)) {
        std::vector<std::string> fitting;
        for (const TaskKind& other : taskKinds())
            if (contains(other.topologies, resolved.topology)) fitting.push_back(other.id);
        std::vector<std::string> needed;
        for (const Topology topology : task.topologies) needed.push_back(wordOf(topology));
        throwInvalid(fmt::format("task {} needs topology {}, but this variant has \"{}\"", task.id, fmt::join(needed, " or "),
                                 wordOf(resolved.topology)),
                     "variant, topology",
                     fmt::format("choose another variant, or set data.task to one that this variant supports: {}",
                                 fmt::join(fitting, ", ")));
    }
    if (const std::string& head = resolved.globals.at("head").id; !contains(task.heads, head))
        throwInvalid(
            fmt::format("task {} needs head {}, but this variant has \"{}\"", task.id, fmt::join(task.heads, " or "), head),
            "variant, head", fmt::format("set head to \"{}\"", task.heads.front()));
    throwIfNotRead(task, resolved);
    throwIfDocumentsMeet(spec, resolved);
    if (resolved.dims.baseD > 0 && spec.train.optimizer == OptimizerKind::Muon)
        throwInvalid("dims.base_d sets the rates of Adam and AdamW, and Muon has another rule for widths",
                     "train.optimizer.kind",
                     "use adamw or adam, or leave dims.base_d out and set train.optimizer.muon.scale to match_rms_adamw");
}

}  // namespace heddle
