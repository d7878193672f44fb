// SPDX-License-Identifier: Apache-2.0
// Parameter counts, three ways: what the file says, what the descriptors' formulas say, and the tree that the builder makes.
#include "engine/device/torch_pch.h"
#include "engine/model/model.h"
#include "engine/model/verify/checks.h"
#include "engine/spec/cost.h"

#include <optional>
#include <regex>

namespace heddle::verify {

namespace {

constexpr std::int64_t kLargestBuilt = 60'000'000;  ///< above, only the formula is compared: building takes memory and time

/// The preset that a model of the table is an instance of; empty if this version has none.
std::string presetOf(const std::string& model) {
    if (model == "eau-paper baseline" || model.starts_with("post-norm baseline")) return "eau-base";
    if (model == "eau-paper EAU+GRC") return "eau-full";
    if (model == "eau-paper EAU only") return "eau-only";
    return model == "eau-paper GRC only" ? "grc-only" : "";
}

VariantSpec variantOf(const std::string& preset, const Json& settings) {
    const std::int64_t d = settings.at("k"), layers = settings.at("layers");
    Json dims{{"d", d},
              {"f", settings.at("f")},
              {"heads", d % 8 == 0 ? 8 : 1},  // not printed; heads do not enter the count
              {"layers_enc", layers},
              {"layers_dec", layers},
              {"vocab_src", settings.at("Vs")},
              {"vocab_tgt", settings.at("Vt")}};
    if (settings.contains("max_len")) dims["max_len"] = settings.at("max_len");
    return VariantSpec::parse({{"preset", preset}, {"dims", dims}}, builtinCatalogue());
}

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
};

std::optional<Unit> unitOf(const std::string& name) {
    static const std::map<std::string, std::vector<std::pair<std::string, std::string>>> kBlocks{
        {"eau", {{"adjuster", "eau"}}},
        {"grc", {{"residual", "grc"}}},
        {"mha", {{"scorer", "dot"}, {"value", "heads_proj"}}},
        {"ffn", {{"ffn", "mlp"}}},
        {"layernorm", {{"norm", "layernorm"}}}};
    static const std::regex kForm("([a-z]+)_k([0-9]+)(?:_f([0-9]+))?");
    std::smatch parts;
    if (!std::regex_match(name, parts, kForm) || !kBlocks.contains(parts[1])) return std::nullopt;
    Unit unit{kBlocks.at(parts[1]), {}};
    unit.dims.d = std::stoll(parts[2]);
    unit.dims.f = parts[3].matched ? std::stoll(parts[3]) : unit.dims.f;
    unit.dims.heads = 1;
    unit.dims.keyDim = unit.dims.valueDim = unit.dims.d;
    return unit;
}

}  // namespace

void verifyUnitCounts(const Json& golden, CaseChecks& checks) {
    for (const auto& [name, expected] : golden.at("outputs").items()) {
        const auto unit = unitOf(name);
        if (!unit) continue;
        BlockContext where;
        where.dims = unit->dims;
        std::int64_t count = 0;
        for (const auto& [slot, id] : unit->blocks) {
            count += builtinCatalogue().at(slot, id).parameterCount(where, blockParameters(slot, id));
        }
        checks.compareCount(name, expected, count);
    }
    checks.reportRest(golden.at("outputs"));
}

void verifyCounts(const Json& golden, CaseChecks& checks) {
    for (const Json& entry : golden.at("entries")) {
        const std::string preset = presetOf(entry.at("model")), title = titleOf(entry);
        if (preset.empty()) {
            checks.report(title, "not known to this version");
            continue;
        }
        const ResolvedVariant variant = variantOf(preset, entry.at("settings")).resolve();
        const std::int64_t expected = entry.at("expected"), formula = countCost(variant, builtinCatalogue()).parameters;
        checks.compareCount(title + " (formula)", expected, formula);
        if (formula <= kLargestBuilt) {
            checks.compareCount(title + " (built)", expected, buildModel(variant, 1)->parameters().count());
        }
    }
}

}  // namespace heddle::verify
