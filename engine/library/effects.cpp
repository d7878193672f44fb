// SPDX-License-Identifier: Apache-2.0
#include "engine/library/effects.h"

#include "engine/analysis/bleu_difference.h"
#include "engine/analysis/paired_difference.h"
#include "engine/base/error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace heddle {
namespace {

using Quantity = Exposure::Quantity;
using Ablation = RankRequest::Ablation;

bool isGate(const ModuleExposure& shown) { return shown.exposure.clampable && shown.exposure.isGate(); }

/// The difference of "loss", "accuracy" or "bleu" over the examples; without an interval for other metrics.
PairedDifference differenceOf(const std::string& metric, const MeasuredModel& trained, const MeasuredModel& intervened,
                              double alpha = 0.05) {
    if (metric == "bleu")
        return bleuDifference(trained.task.bleuSentences, intervened.task.bleuSentences, trained.task.bleuSmooth);
    if (metric != "loss" && metric != "accuracy")
        return {0, 0, std::nullopt, "intervals are available for loss, accuracy and BLEU only"};
    std::vector<PairedExample> pairs;
    for (std::size_t i = 0; i < trained.examples.size(); ++i) {
        const SentenceLoss &before = trained.examples[i], &after = intervened.examples[i];
        const auto answers = static_cast<double>(before.tokens);
        if (metric == "loss")
            pairs.push_back({before.nats, after.nats, answers});
        else
            pairs.push_back({static_cast<double>(before.correct), static_cast<double>(after.correct), answers});
    }
    return pairedDifference(pairs, alpha);
}

}  // namespace

std::vector<MetricEffect> metricEffects(const MeasuredModel& trained, const MeasuredModel& intervened,
                                        std::optional<std::int64_t> ranked) {
    std::vector<MetricEffect> effects;
    for (const EvaluationDone::Value& before : trained.values) {
        const auto after = std::find_if(intervened.values.begin(), intervened.values.end(),
                                        [&](const EvaluationDone::Value& one) { return one.metric == before.metric; });
        if (after == intervened.values.end()) continue;
        PairedDifference found = differenceOf(before.metric, trained, intervened);
        effects.push_back(
            {before.metric, before.signature, before.n, before.value, after->value, found.interval, std::move(found.whyNone)});
        if (ranked && found.interval && before.metric != "bleu")  // bleuDifference() has the level 95 % alone
            effects.back().simultaneous =
                differenceOf(before.metric, trained, intervened, 0.05 / static_cast<double>(*ranked)).interval;
    }
    return effects;
}

std::vector<OutputEffect> outputEffects(const Evaluation& trained, const Evaluation& intervened) {
    const std::vector<SampleText>&before = trained.metrics.samples, &after = intervened.metrics.samples;
    std::vector<OutputEffect> outputs;
    for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i)
        outputs.push_back({before[i].index, before[i].source, before[i].reference, before[i].hypothesis, after[i].hypothesis});
    return outputs;
}

std::vector<std::string> rangeWarnings(const std::vector<Intervention>& interventions, const InterventionTargets& targets) {
    std::vector<std::string> warnings;
    for (const Intervention& intervention : interventions) {
        const auto* const clamp = std::get_if<ClampExposure>(&intervention);
        if (!clamp) continue;
        for (const ModuleExposure& shown : targets.exposures) {
            const Exposure& exposure = shown.exposure;
            const bool isShare = exposure.quantity == Quantity::UnitGate || exposure.quantity == Quantity::Weight;
            if (shown.path() == clamp->path && isShare && (clamp->value < 0 || clamp->value > 1))
                warnings.push_back(textOf(intervention) + ": " + exposure.title + " always lies between 0 and 1");
        }
    }
    return warnings;
}

std::vector<std::string> leftOutWarnings(const RankRequest& request, const InterventionTargets& targets) {
    if (request.what == RankRequest::What::Heads || request.ablation == Ablation::Value) return {};
    const auto count = std::count_if(targets.exposures.begin(), targets.exposures.end(), [](const ModuleExposure& shown) {
        return isGate(shown) && !isReplaceable(shown.exposure);
    });
    if (count == 0) return {};
    return {"gates over pairs of positions (" + std::to_string(count) +
            ") are not ranked, because they have no mean and no counterpart in another example; rank them with --at"};
}

std::vector<Intervention> rankedInterventions(const RankRequest& request, const InterventionTargets& targets) {
    const bool ranksHeads = request.what == RankRequest::What::Heads;
    const auto changeOf = [&](const std::string& path, std::int64_t head) -> Intervention {
        if (request.ablation == Ablation::Mean) return MeanOutput{path, head};
        if (request.ablation == Ablation::Resample) return ResampleOutput{path, head};
        if (head == kNoHead) return ClampExposure{path, request.gateValue};
        return MuteHead{path, head};
    };
    std::vector<Intervention> all;
    if (ranksHeads) {
        for (const auto& [path, heads] : targets.attentions)
            for (std::int64_t head = 0; head < heads; ++head) all.push_back(changeOf(path, head));
    } else {
        for (const ModuleExposure& shown : targets.exposures)
            if (request.ablation == Ablation::Value ? isGate(shown) : isReplaceable(shown.exposure))
                all.push_back(changeOf(shown.path(), kNoHead));
    }
    if (all.empty())
        throw Error(ErrorCode::Usage,
                    std::string("this model has no ") + (ranksHeads                            ? "attention head"
                                                         : request.ablation == Ablation::Value ? "gate"
                                                                                               : "gate over positions"),
                    "--rank", ranksHeads ? "rank gates" : "rank heads");
    return all;
}

RankReport::Entry rankEntry(const Intervention& intervention, const std::vector<MetricEffect>& effects) {
    RankReport::Entry entry{intervention, {}, std::nullopt};
    for (const MetricEffect& effect : effects) {
        if (effect.metric == "loss") entry.loss = effect;
        if (effect.metric == "accuracy") entry.accuracy = effect;
    }
    return entry;
}

void correctForCandidates(const std::vector<MetricEffect*>& effects, std::int64_t candidates) {
    std::vector<double> p;
    for (const MetricEffect* effect : effects) p.push_back(effect->interval->p);
    const std::vector<double> corrected = holmCorrected(p, candidates);
    for (std::size_t i = 0; i < effects.size(); ++i) effects[i]->corrected = corrected[i];
}

void correctForAll(RankReport& report) {
    std::vector<MetricEffect*> losses, accuracies;
    for (RankReport::Entry& entry : report.entries) {
        if (entry.loss.interval) losses.push_back(&entry.loss);
        if (entry.accuracy && entry.accuracy->interval) accuracies.push_back(&*entry.accuracy);
    }
    correctForCandidates(losses, report.all);
    correctForCandidates(accuracies, report.all);
}

void sortByCost(std::vector<RankReport::Entry>& entries) {
    const auto cost = [](const RankReport::Entry& entry) {
        const double difference = entry.loss.difference();
        return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
    };
    std::stable_sort(entries.begin(), entries.end(),
                     [&](const RankReport::Entry& a, const RankReport::Entry& b) { return cost(a) > cost(b); });
}

}  // namespace heddle
