// SPDX-License-Identifier: Apache-2.0
#include "engine/run/interventions.h"

#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/overload.h"
#include "engine/base/printable.h"
#include "engine/base/suggestion.h"
#include "engine/spec/variant_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <type_traits>
#include <utility>

namespace heddle {
namespace {

/// Of an alternative with a path and a head.
template <class Ablation>
constexpr bool kIsOfOutputs = std::is_same_v<Ablation, MeanOutput> || std::is_same_v<Ablation, ResampleOutput>;

template <class Number>
bool parseNumber(const std::string& text, Number& number) {
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && rest == end && !text.empty();
}

[[noreturn]] void throwUnreadable(const std::string& kind, const std::string& text, const char* example) {
    throw Error(ErrorCode::Usage,
                fmt::format("\"{}\" does not specify what to {}", printable(text), kind == "cut_carry" ? "cut" : kind),
                optionOf(kind), fmt::format("write it as {}", example));
}

/// "PATH=NUMBER"
std::pair<std::string, double> parseAssignment(const std::string& kind, const std::string& text) {
    const auto at = text.rfind('=');
    double number = 0;
    if (at == std::string::npos || at == 0 || !parseNumber(text.substr(at + 1), number) || !std::isfinite(number))
        throwUnreadable(kind, text, "encoder.layers.0.self.residual.gate=0.5");
    return {text.substr(0, at), number};
}

/// "PATH:HEAD"
MuteHead parseHead(const std::string& kind, const std::string& text) {
    const auto at = text.rfind(':');
    MuteHead mute;
    if (at == std::string::npos || at == 0 || !parseNumber(text.substr(at + 1), mute.head) || mute.head < 0)
        throwUnreadable(kind, text, "encoder.layers.0.self:3");
    mute.path = text.substr(0, at);
    return mute;
}

/// "PATH:HEAD" or "PATH"
template <class Ablation>
Ablation parseOutput(const std::string& kind, const std::string& text) {
    if (text.find(':') == std::string::npos && !text.empty()) return {text, kNoHead};
    auto [path, head] = parseHead(kind, text);
    return {std::move(path), head};
}

/// "a, b, c and 5 more".
std::string listOf(const std::vector<std::string>& names) {
    constexpr std::size_t kListed = 24;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kListed); ++i) text += (i == 0 ? "" : ", ") + names[i];
    return names.size() <= kListed ? text : fmt::format("{} and {} more", text, names.size() - kListed);
}

/// Throws Error(Usage) unless the path is one of `known`, saying `what` is wrong with it and which paths there are.
void requireOneOf(const Intervention& intervention, const std::vector<std::string>& known, const std::string& what) {
    const std::string& path = pathOf(intervention);
    if (contains(known, path)) return;
    const std::string hint = nearestHint(path, known);
    throw Error(ErrorCode::Usage, fmt::format("\"{}\" {}", printable(path), what), optionOf(kindOf(intervention)),
                known.empty() ? "this model has none" : (hint.empty() ? "" : hint + " ") + "there are: " + listOf(known));
}

void requireHead(const Intervention& intervention, const InterventionTargets& targets) {
    std::vector<std::string> paths;
    for (const auto& attention : targets.attentions) paths.push_back(attention.path);
    requireOneOf(intervention, paths, "is not an attention sublayer of this model");
    const MuteHead wanted = *headOf(intervention);
    for (const auto& [path, heads] : targets.attentions)
        if (path == wanted.path && wanted.head >= heads)
            throw Error(ErrorCode::Usage, fmt::format("{} has no head {}", path, wanted.head), optionOf(kindOf(intervention)),
                        heads == 1 ? "it has one head, number 0" : fmt::format("its heads are 0 to {}", heads - 1));
}

/// Of mean and resample ablation.
void requireOutput(const Intervention& intervention, const InterventionTargets& targets) {
    if (headOf(intervention)) return requireHead(intervention, targets);
    const std::string &path = pathOf(intervention), where = optionOf(kindOf(intervention));
    const std::string instead = "there are heads (PATH:HEAD), and: " + listOf(targets.outputs());
    for (const ModuleExposure& shown : targets.exposures) {
        if (shown.path() != path || !shown.exposure.clampable) continue;
        if (shown.exposure.axes.find('B') == std::string::npos)
            throw Error(ErrorCode::Usage,
                        fmt::format("{} ({}) is a parameter, which is the same for all examples", path, shown.exposure.title),
                        where, "clamp or scale it; " + instead);
        if (shown.exposure.axes == "BHQK")
            throw Error(ErrorCode::Usage,
                        fmt::format("{} ({}) is over pairs of positions, so it has neither a mean per feature nor a "
                                    "counterpart in another example",
                                    path, shown.exposure.title),
                        where, "clamp or scale it; " + instead);
    }
    if (contains(targets.neutral, path))
        throw Error(ErrorCode::Usage, path + " is a block of parameters, which are the same for all examples", where, instead);
    requireOneOf(intervention, targets.outputs(), "is no sublayer and no gate over the positions of this model");
}

void requireClampable(const Intervention& intervention, const InterventionTargets& targets) {
    for (const ModuleExposure& shown : targets.exposures) {
        if (shown.path() != pathOf(intervention)) continue;
        if (shown.exposure.clampable) return;
        throw Error(ErrorCode::Usage,
                    fmt::format("{} ({}) can be observed but not changed", shown.path(), shown.exposure.title),
                    optionOf(kindOf(intervention)), "there are: " + listOf(targets.clampable()));
    }
    requireOneOf(intervention, targets.clampable(), "is not an exposure of this model");
}

/// Whether `whole` replaces the output of a sublayer by something in which nothing is left of what `part`, a mean or another
/// example's output, put there. Of another example's output the changes are those of the same pass, so that they stay.
bool leavesNothingOf(const Intervention& whole, const Intervention& part) {
    const bool replacesAll =
        std::holds_alternative<IdentityResidual>(whole) || (std::holds_alternative<MeanOutput>(whole) && !headOf(whole));
    return replacesAll && !isForTraining(part) && pathOf(whole) == pathOf(part);
}

[[noreturn]] void throwUseless(const Intervention& part, const Intervention& whole) {
    throw Error(ErrorCode::Usage,
                fmt::format("{} {} would do nothing: {} {} replaces the whole output of the sublayer", kindOf(part),
                            textOf(part), kindOf(whole), textOf(whole)),
                optionOf(kindOf(part)), "leave one of the two out");
}

}  // namespace

std::vector<std::string> interventionKinds() {
    return {"mute", "mean", "resample", "clamp", "scale", "cut_carry", "identity", "neutral"};
}

std::string kindOf(const Intervention& intervention) { return interventionKinds().at(intervention.index()); }

std::string optionOf(const std::string& kind) { return kind == "cut_carry" ? "--cut-carry" : "--" + kind; }

const std::string& pathOf(const Intervention& intervention) {
    return std::visit([](const auto& one) -> const std::string& { return one.path; }, intervention);
}

std::optional<MuteHead> headOf(const Intervention& intervention) {
    return std::visit(
        [](const auto& one) -> std::optional<MuteHead> {
            using One = std::decay_t<decltype(one)>;
            if constexpr (std::is_same_v<One, MuteHead>) return one;
            if constexpr (kIsOfOutputs<One>)
                return one.head == kNoHead ? std::nullopt : std::optional(MuteHead{one.path, one.head});
            return std::nullopt;
        },
        intervention);
}

Intervention parseIntervention(const std::string& kind, const std::string& text) {
    if (kind == "mute") return parseHead(kind, text);
    if (kind == "mean") return parseOutput<MeanOutput>(kind, text);
    if (kind == "resample") return parseOutput<ResampleOutput>(kind, text);
    if (kind == "clamp" || kind == "scale") {
        auto [path, number] = parseAssignment(kind, text);
        if (kind == "clamp") return ClampExposure{std::move(path), number};
        return ScaleExposure{std::move(path), number};
    }
    if (text.empty()) throwUnreadable(kind, text, "encoder.layers.0.self");
    if (kind == "cut_carry") return CutCarry{text};
    if (kind == "identity") return IdentityResidual{text};
    if (kind == "neutral") return NeutralBlock{text};
    throw Error(ErrorCode::Usage, fmt::format("\"{}\" is not an intervention", printable(kind)), "intervention",
                suggestion(kind, interventionKinds()));
}

std::string textOf(const Intervention& intervention) {
    if (const auto head = headOf(intervention)) return fmt::format("{}:{}", head->path, head->head);
    return std::visit(Overload{[](const ClampExposure& one) { return fmt::format("{}={}", one.path, one.value); },
                               [](const ScaleExposure& one) { return fmt::format("{}={}", one.path, one.factor); },
                               [](const auto& one) { return one.path; }},
                      intervention);
}

Json interventionDocument(const Intervention& intervention) {
    Json document{{"kind", kindOf(intervention)}, {"path", pathOf(intervention)}};
    if (const auto head = headOf(intervention)) document["head"] = head->head;
    std::visit(Overload{[&](const ResampleOutput&) { document["seed"] = kResampleSeed; },
                        [&](const ClampExposure& one) { document["value"] = one.value; },
                        [&](const ScaleExposure& one) { document["factor"] = one.factor; }, [](const auto&) {}},
               intervention);
    return document;
}

Intervention readIntervention(const Json& document) {
    try {
        const std::string kind = document.at("kind"), path = document.at("path");
        std::string text = path;
        if (const auto head = document.find("head"); head != document.end())
            text += fmt::format(":{}", head->get<std::int64_t>());
        if (kind == "clamp") text += fmt::format("={}", document.at("value").get<double>());
        if (kind == "scale") text += fmt::format("={}", document.at("factor").get<double>());
        Intervention read = parseIntervention(kind, text);
        if (interventionDocument(read) == document) return read;
    } catch (const Json::exception&) {  // said below
    } catch (const Error&) {}
    throwInvalid(fmt::format("{} is not an intervention", printableExcerpt(document.dump(), 200)), "intervention",
                 R"(write it as {"kind":"mute","path":"encoder.layers.0.self","head":3})");
}

std::vector<std::string> InterventionTargets::clampable() const {
    std::vector<std::string> paths;
    for (const ModuleExposure& shown : exposures)
        if (shown.exposure.clampable) paths.push_back(shown.path());
    return paths;
}

InterventionTargets interventionTargets(const ResolvedVariant& variant) {
    InterventionTargets targets;
    targets.exposures = exposuresOf(variant);
    for (const auto& [name, layers] : {std::pair("encoder", &variant.encoder), std::pair("decoder", &variant.decoder)}) {
        for (std::size_t layer = 0; layer < layers->size(); ++layer) {
            const bool hasEarlier = layer > 0 || passesOf(variant, name) > 1;
            for (const ResolvedSublayer& sublayer : (*layers)[layer].sublayers) {
                const auto has = [&](const char* slot) { return sublayer.slots.contains(slot); };
                if (has("scorer")) targets.attentions.push_back({sublayer.path, variant.dims.heads});
                if (has("score") && !holdsNothing(sublayer.slots.at("score")) && hasEarlier)
                    targets.carries.push_back(sublayer.path);
                if (has("residual") && !has("recurrence")) targets.residuals.push_back(sublayer.path);
            }
        }
    }
    forEachBlock(variant, [&](const std::string& path, const std::string& slot, const BlockChoice& choice, const auto&) {
        if (!builtinCatalogue().at(slot, choice.id).neutral.empty()) targets.neutral.push_back(path);
    });
    return targets;
}

bool isForTraining(const Intervention& intervention) {
    return !std::holds_alternative<MeanOutput>(intervention) && !std::holds_alternative<ResampleOutput>(intervention);
}

bool isOverPositions(const Exposure& exposure) { return exposure.axes.starts_with("BS"); }

bool isReplaceable(const Exposure& exposure) { return exposure.clampable && exposure.isGate() && isOverPositions(exposure); }

std::vector<std::string> InterventionTargets::outputs() const {
    std::vector<std::string> paths = residuals;
    for (const ModuleExposure& shown : exposures)
        if (isReplaceable(shown.exposure)) paths.push_back(shown.path());
    return paths;
}

void checkInterventions(const std::vector<Intervention>& interventions, const InterventionTargets& targets) {
    for (auto one = interventions.begin(); one != interventions.end(); ++one) {
        std::visit(
            Overload{
                [&](const MuteHead&) { requireHead(*one, targets); }, [&](const MeanOutput&) { requireOutput(*one, targets); },
                [&](const ResampleOutput&) { requireOutput(*one, targets); },
                [&](const ClampExposure&) { requireClampable(*one, targets); },
                [&](const ScaleExposure&) { requireClampable(*one, targets); },
                [&](const CutCarry&) { requireOneOf(*one, targets.carries, "reads no scores of earlier layers"); },
                [&](const IdentityResidual&) { requireOneOf(*one, targets.residuals, "cannot be replaced by the identity"); },
                [&](const NeutralBlock&) {
                    requireOneOf(*one, targets.neutral, "has no parameter values that make it neutral");
                }},
            *one);
        const std::optional<MuteHead> head = headOf(*one);
        const bool isThereTwice = std::any_of(interventions.begin(), one, [&](const Intervention& earlier) {
            if (head || headOf(earlier)) return head == headOf(earlier);  // a head is silenced in one way
            const bool areAblations = !isForTraining(earlier) && !isForTraining(*one);
            return (areAblations || earlier.index() == one->index()) && pathOf(earlier) == pathOf(*one);
        });
        if (isThereTwice)
            throw Error(ErrorCode::Usage, fmt::format("{} is given twice", textOf(*one)), optionOf(kindOf(*one)),
                        "give it once");
        for (auto earlier = interventions.begin(); earlier != one; ++earlier) {
            if (leavesNothingOf(*earlier, *one)) throwUseless(*one, *earlier);
            if (leavesNothingOf(*one, *earlier)) throwUseless(*earlier, *one);
        }
    }
}

}  // namespace heddle
