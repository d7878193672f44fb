// SPDX-License-Identifier: Apache-2.0
// Parameter counts, three ways: what the file says, what the descriptors' formulas say, and the tree that the builder makes.
#include "engine/device/torch_pch.h"
#include "engine/model/built_modules.h"
#include "engine/model/model.h"
#include "engine/spec/cost.h"
#include "engine/verify/checks.h"
#include "engine/verify/count_models.h"

#include <optional>
#include <regex>

namespace heddle::verify {

namespace {

std::string titleOf(const Json& entry) {
    std::string title = entry.at("model").get<std::string>();
    for (const auto& [key, value] : entry.at("settings").items()) {
        if (!value.is_string()) title += " " + key + "=" + value.dump();
    }
    return title;
}

/// The closed form of a unit and where it is evaluated, from a name such as "ffn_k8_f16".
struct Unit {
    std::vector<std::pair<std::string, std::string>> blocks;  ///< slot, id: their counts are added
    Dims dims;
    Json params = Json::object();  ///< of those blocks that have them
};

/// One StarSaber layer, from a name such as "starsaber_gate_d8_bias".
std::optional<Unit> starUnitOf(const std::string& name) {
    static const std::regex kStar("starsaber(_gate)?_d([0-9]+)_(no)?bias");
    std::smatch parts;
    if (!std::regex_match(name, parts, kStar)) return std::nullopt;
    Unit unit{{{"scorer", "bilinear"},
               {"value", "directional"},
               {"direct", "vx"},
               {"combine", parts[1].matched ? "tanh_gated" : "tanh"},
               {"residual", "alpha"}},
              {},
              {{"bias", !parts[3].matched}}};
    unit.dims.d = std::stoll(parts[2]);
    unit.dims.heads = 1;
    unit.dims.keyDim = unit.dims.valueDim = unit.dims.d;
    return unit;
}

std::optional<Unit> unitOf(const std::string& name) {
    if (auto star = starUnitOf(name)) return star;
    static const std::map<std::string, std::vector<std::pair<std::string, std::string>>> kBlocks{
        {"eau", {{"adjuster", "eau"}}},
        {"grc", {{"residual", "grc"}}},
        {"mha", {{"scorer", "dot"}, {"value", "heads_proj"}}},
        {"ffn", {{"ffn", "mlp"}}},
        {"layernorm", {{"norm", "layernorm"}}}};
    static const std::regex kRecurrent("bilstm_d([0-9]+)_h\\1");
    static const std::regex kForm("([a-z]+)_k([0-9]+)(?:_f([0-9]+))?");
    std::smatch parts;
    if (std::regex_match(name, parts, kRecurrent)) {
        Unit unit{{{"recurrence", "lstm"}}, {}};
        unit.dims.d = std::stoll(parts[1]);
        return unit;
    }
    if (!std::regex_match(name, parts, kForm) || !kBlocks.contains(parts[1])) return std::nullopt;
    Unit unit{kBlocks.at(parts[1]), {}};
    unit.dims.d = std::stoll(parts[2]);
    unit.dims.f = parts[3].matched ? std::stoll(parts[3]) : unit.dims.f;
    unit.dims.heads = 1;
    unit.dims.keyDim = unit.dims.valueDim = unit.dims.d;
    return unit;
}

/// The count of a score gate's W or B, from a name such as "gate_b_H2_S5".
std::optional<std::int64_t> gateCountOf(const std::string& name) {
    static const std::regex kForm("gate_([Wb])_H([0-9]+)_S([0-9]+)");
    std::smatch parts;
    if (!std::regex_match(name, parts, kForm)) return std::nullopt;
    BlockContext where;
    where.dims.heads = std::stoll(parts[2]);
    where.dims.maxLen = std::stoll(parts[3]);
    const auto withBias = [&](const char* bias) {
        const Json gated{{"gate", {{"bias", bias}}}};
        return builtinCatalogue().at("score", "add").parameterCount(where, blockParameters("score", "add", gated));
    };
    return parts[1] == "W" ? withBias("none") : withBias("vector") - withBias("none");
}

/// The parameters of those modules that a row counts.
template <class Module>
std::int64_t countOf(const std::vector<Module>& modules, const CountedModel& counted) {
    std::int64_t count = 0;
    for (const Module& module : modules)
        if (module.path.starts_with(counted.stack) && module.path.ends_with(counted.modules)) count += module.parameters;
    return count;
}

Counts countsOf(const Json& document, const CountedModel& counted) {
    const ResolvedVariant variant = VariantSpec::parse(document, builtinCatalogue()).resolve();
    return {countOf(builtModules(*outlineModel(variant)), counted), countOf(countCost(variant).modules, counted)};
}

/// The paper's own figure: equal, equal when rounded as printed ("13.47M"), or reported as different where the file says so.
void comparePrinted(const std::string& title, const Json& entry, CaseChecks& checks) {
    if (!entry.contains("printed") || !entry.at("printed").is_string()) return;
    const std::string printed = entry.at("printed");
    const auto expected = static_cast<double>(entry.at("expected").get<std::int64_t>());
    const bool inMillions = printed.ends_with("M");
    const double unit = inMillions ? 1e6 : 1, step = inMillions ? 0.005 : 0;
    const double distance = std::abs(expected / unit - std::stod(printed));
    if (entry.at("status") == "differs-from-printed")
        checks.report(title + " (printed)",
                      "the paper prints " + printed + ", its equations give " + entry.at("expected").dump());
    else
        checks.bound(title + " (printed " + printed + ")", distance, step + 1e-9);
}

}  // namespace

void verifyUnitCounts(const Json& golden, CaseChecks& checks) {
    for (const auto& [name, expected] : golden.at("outputs").items()) {
        if (const auto ofGate = gateCountOf(name)) checks.compareCount(name, expected, *ofGate);
        const auto unit = unitOf(name);
        if (!unit) continue;
        BlockContext where;
        where.dims = unit->dims;
        std::int64_t count = 0;
        for (const auto& [slot, id] : unit->blocks) {
            count += builtinCatalogue().at(slot, id).parameterCount(where, blockParameters(slot, id, unit->params));
        }
        checks.compareCount(name, expected, count);
    }
    checks.reportRest(golden.at("outputs"));
}

void verifyCounts(const Json& golden, CaseChecks& checks) {
    for (const Json& entry : golden.at("entries")) {
        const auto model = countedModel(entry.at("model"), entry.at("settings"));
        const std::string title = titleOf(entry);
        if (!model) {
            checks.reportUnknown(title);
            continue;
        }
        const Counts all = countsOf(model->variant, *model);
        const Counts less = model->without.is_null() ? Counts{} : countsOf(model->without, *model);
        const std::int64_t expected = entry.at("expected");
        checks.compareCount(title + " (formula)", expected, all.formula - less.formula);
        checks.compareCount(title + " (built)", expected, all.built - less.built);
        comparePrinted(title, entry, checks);
    }
}

}  // namespace heddle::verify
