// SPDX-License-Identifier: Apache-2.0
// The names that the table of counts gives to models (golden.json `counts`), as presets with sizes.
#include "engine/verify/count_models.h"

#include <map>

namespace heddle::verify {

namespace {

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

}  // namespace

std::optional<CountedModel> countedModel(const std::string& model, const Json& settings) {
    for (const auto family : {ofEauPaper, ofBert, ofAtinuke, ofRecurrentBaseline, ofStarSaberPaper, ofThesis})
        if (auto found = family(model, settings)) return found;
    return std::nullopt;
}

}  // namespace heddle::verify
