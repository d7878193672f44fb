// SPDX-License-Identifier: Apache-2.0
// Parameter counts, three ways: what the file says, what the descriptors' formulas say, and the tree that the builder makes.
#include "engine/device/torch_pch.h"
#include "engine/model/built_modules.h"
#include "engine/model/model.h"
#include "engine/spec/cost.h"
#include "engine/verify/checks.h"

#include <map>
#include <optional>
#include <regex>

namespace heddle::verify {

namespace {

/// A row of the table of counts as a variant.
struct CountedModel {
    Json variant;            ///< a document: a preset with the row's sizes
    std::string modules;     ///< only modules whose path ends with this are counted; empty: all
    Json without = {};       ///< a document whose count is subtracted; null: none
    std::string stack = {};  ///< only modules whose path begins with this are counted; empty: all
};

/// `settings` under the names of `dims`; those that the table does not give are left to the preset.
Json renamed(const Json& settings, const std::map<std::string, std::vector<std::string>>& names) {
    Json dims = Json::object();
    for (const auto& [name, keys] : names)
        if (settings.contains(name))
            for (const std::string& key : keys) dims[key] = settings.at(name);
    return dims;
}

/// Heads as the entry names them; else as many as the preset has, or the next fewer that divide the width: no count here but
/// those of gates, which name theirs, depends on them.
void settleHeads(Json& dims, const Json& settings, std::int64_t usual) {
    if (settings.contains("heads")) {
        dims["heads"] = settings.at("heads");
    } else if (dims.contains("d")) {
        while (dims.at("d").get<std::int64_t>() % usual != 0) --usual;
        dims["heads"] = usual;
    }
}

/// EAU/GRC paper, Table 3, and the public baseline of variants.md 1.6.
std::optional<CountedModel> ofEauPaper(const std::string& model, const Json& settings) {
    static const std::map<std::string, std::string> kPresets{{"eau-paper baseline", "eau-base"},
                                                             {"eau-paper EAU+GRC", "eau-full"},
                                                             {"eau-paper EAU only", "eau-only"},
                                                             {"eau-paper GRC only", "grc-only"},
                                                             {"post-norm baseline l=6 k=512 f=2048", "eau-base"}};
    const auto preset = kPresets.find(model);
    if (preset == kPresets.end()) return std::nullopt;
    Json dims = renamed(settings, {{"k", {"d"}},
                                   {"f", {"f"}},
                                   {"layers", {"layers_enc", "layers_dec"}},
                                   {"max_len", {"max_len"}},
                                   {"Vs", {"vocab_src"}},
                                   {"Vt", {"vocab_tgt"}}});
    settleHeads(dims, settings, 8);
    return CountedModel{{{"preset", preset->second}, {"dims", dims}}, ""};
}

/// EAU/GRC paper, section 4.2: BERT base with and without the paper's blocks.
std::optional<CountedModel> ofBert(const std::string& model, const Json& settings) {
    static const std::map<std::string, std::string> kPresets{{"bert-base MLM (tied decoder, no pooler)", "bert-base"},
                                                             {"bert-base MLM + EAU", "bert-base+eau"},
                                                             {"bert-base MLM + GRC", "bert-base+grc"},
                                                             {"bert-base MLM + EAU + GRC", "bert-base+both"}};
    const auto preset = kPresets.find(model);
    if (preset == kPresets.end()) return std::nullopt;
    Json dims = renamed(settings, {{"k", {"d"}},
                                   {"f", {"f"}},
                                   {"l", {"layers_enc"}},
                                   {"n", {"max_len"}},
                                   {"V", {"vocab_src"}},
                                   {"token_types", {"token_types"}}});
    settleHeads(dims, settings, 12);
    return CountedModel{{{"preset", preset->second}, {"dims", dims}}, ""};
}

/// The constructor call that the Atinuke paper's listing ends with: two heads, a key_dim that nothing reads.
std::optional<CountedModel> ofAtinuke(const std::string& model, const Json& settings) {
    if (model != "atinuke demo") return std::nullopt;
    Json dims = renamed(settings, {{"vocab", {"vocab_tgt"}}, {"d", {"d"}}, {"hidden", {"f"}}, {"layers", {"layers_dec"}}});
    settleHeads(dims, settings, 2);
    return CountedModel{{{"preset", "atinuke-listing"}, {"dims", dims}}, ""};
}

/// StarSaber paper, Table 1: the recurrent baseline on word vectors.
std::optional<CountedModel> ofRecurrentBaseline(const std::string& model, const Json& settings) {
    if (model != "starsaber-paper word2vec BiLSTM") return std::nullopt;
    const Json dims = renamed(settings, {{"layers", {"layers_enc"}}, {"d", {"d"}}, {"classes", {"classes"}}});
    return CountedModel{{{"preset", "bilstm-w2v"}, {"dims", dims}}, ""};
}

/// Thesis, section 3.2 and variants.md 4.3; the tutorial that its baseline has the form of; its gates alone.
std::optional<CountedModel> ofThesis(const std::string& model, const Json& settings) {
    const bool ofGates = model.starts_with("thesis gate");
    const bool isGated = ofGates || model.starts_with("thesis G1 (");
    if (!isGated && !model.starts_with("thesis T (") && model != "keras-style enc-dec tutorial") return std::nullopt;
    Json dims = renamed(settings, {{"d", {"d"}},
                                   {"dff", {"f"}},
                                   {"heads", {"heads"}},
                                   {"key_dim", {"key_dim"}},
                                   {"layers", {"layers_enc", "layers_dec"}},
                                   {"seq", {"max_len"}},
                                   {"Vs", {"vocab_src"}},
                                   {"Vt", {"vocab_tgt"}}});
    const std::int64_t stacks = settings.value("stacks", std::int64_t{2});
    if (stacks < 1 || stacks > 2) return std::nullopt;
    if (ofGates) dims.update({{"d", 8}, {"f", 8}, {"vocab_src", 8}, {"vocab_tgt", 8}});  // their sizes do not enter
    const std::string gates = stacks == 1 ? "encoder." : "";
    const Json plain{{"preset", isGated ? "thesis-G1" : "thesis-T"}, {"dims", dims}};
    Json withoutBias = plain;
    if (isGated) withoutBias["defaults"]["score"]["gate"]["bias"] = "none";
    if (model == "thesis gate bias [H,S]") return CountedModel{plain, "self.score", withoutBias, gates};
    return CountedModel{withoutBias, ofGates ? "self.score" : "", nullptr, ofGates ? gates : ""};
}

/// StarSaber paper, Tables 1 and 5 to 7: CLUE models of width 512, or 300 on word vectors.
std::optional<CountedModel> ofStarSaberPaper(const std::string& model, const Json& settings) {
    static const std::map<std::string, std::string> kPresets{
        {"starsaber-paper pretrained ReZero", "rezero"},
        {"starsaber-paper pretrained Transformer", "clue-transformer"},
        {"starsaber-paper pretrained StarSaber-1", "star-1"},
        {"starsaber-paper pretrained StarSaber-2", "star-2"},
        {"starsaber-paper pretrained StarSaber-gate", "star-gate"},
        {"starsaber-paper pretrained StarSaber+PE", "star-pe"},
        {"starsaber-paper pretrained StarSaber no direct path", "star-nodirect"},
        {"starsaber-paper word2vec ReZero", "rezero-w2v"},
        {"starsaber-paper word2vec Transformer", "clue-transformer-w2v"},
        {"starsaber-paper word2vec StarSaber (8 layers)", "star-w2v"},
        {"starsaber-paper word2vec StarSaber (4 layers)", "star-w2v"}};
    const auto preset = kPresets.find(model);
    if (preset == kPresets.end()) return std::nullopt;
    Json dims =
        renamed(settings, {{"layers", {"layers_enc"}}, {"d", {"d"}}, {"vocab", {"vocab_src"}}, {"classes", {"classes"}}});
    if (!preset->second.starts_with("star")) {
        dims["f"] = 4 * dims.at("d").get<std::int64_t>();
        settleHeads(dims, settings, 8);  // 6 at a width of 300 (variants.md table 2.6 S7)
    }
    Json variant{{"preset", preset->second}, {"dims", dims}};
    if (settings.contains("embedding")) variant["embed"] = "frozen_file";
    return CountedModel{variant, ""};
}

/// The variant of a row, from its name and settings; nothing for a model that this version does not know.
std::optional<CountedModel> countedModel(const std::string& model, const Json& settings) {
    for (const auto family : {ofEauPaper, ofBert, ofAtinuke, ofRecurrentBaseline, ofStarSaberPaper, ofThesis})
        if (auto found = family(model, settings)) return found;
    return std::nullopt;
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
