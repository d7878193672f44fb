// SPDX-License-Identifier: Apache-2.0
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/base/sha256.h"
#include "engine/data/loading/run_data.h"
#include "engine/device/torch_pch.h"
#include "engine/exchange/exchange.h"
#include "engine/exchange/published_model.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "engine/train/checkpoint/published_names.h"
#include "engine/train/checkpoint/safetensors.h"
#include "engine/train/loop/identity.h"

#include <algorithm>
#include <utility>

namespace heddle {
namespace {

/// The text of tokenizer files, by name.
using TokenizerFiles = std::vector<std::pair<std::string, std::string>>;

[[noreturn]] void throwNoForm(const std::string& what, PublishedForm form, const std::string& next) {
    throwInvalid(what, "--format " + wordOf(form), next);
}

TokenizerFiles tokenizerFiles(const Tokenizer& tokenizer, PublishedForm form, std::int64_t positions) {
    const Json saved = Json::parse(tokenizer.saved(), nullptr, false);
    const TokenizerKind kind = tokenizer.spec().kind;
    Json config{{"model_max_length", positions}};
    if (kind == TokenizerKind::WordPiece && form == PublishedForm::Bert) {
        std::string vocab;
        for (const Json& line : saved.at("vocab")) vocab += line.get<std::string>() + "\n";
        config.update({{"tokenizer_class", "BertTokenizer"}, {"do_lower_case", tokenizer.spec().lower}});
        return {{"vocab.txt", vocab}, {"tokenizer_config.json", dumped(config, 2) + "\n"}};
    }
    if (kind != TokenizerKind::JsonFile)
        throwNoForm("a tokenizer of kind " + wordOf(kind) + " has no file that transformers reads", form,
                    "train with a tokenizer.json (data.tokenizer.file), or for BERT with data.tokenizer.kind wordpiece");
    config["tokenizer_class"] = "PreTrainedTokenizerFast";
    const std::pair<const char*, std::int32_t> roles[] = {{"unk_token", kUnk},  {"pad_token", kPad}, {"cls_token", kSos},
                                                          {"bos_token", kSos},  {"sep_token", kEos}, {"eos_token", kEos},
                                                          {"mask_token", kMask}};
    for (const auto& [role, id] : roles)
        if (id < tokenizer.specials() && tokenizer.publisherId(id) >= 0) config[role] = tokenizer.token(id);
    return {{"tokenizer.json", dumped(saved.at("tokenizer"), 2) + "\n"}, {"tokenizer_config.json", dumped(config, 2) + "\n"}};
}

/// Our id of each of the publisher's tokens.
std::vector<std::int64_t> publishedOrder(const Tokenizer& tokenizer) {
    std::vector<std::int64_t> ours;
    for (std::int32_t id = 0; id < tokenizer.size(); ++id) {
        const std::int32_t theirs = tokenizer.publisherId(id);
        if (theirs < 0) continue;
        if (theirs >= std::ssize(ours)) ours.resize(static_cast<std::size_t>(theirs) + 1, -1);
        ours[static_cast<std::size_t>(theirs)] = id;
    }
    return ours;
}

/// Names of the special tokens that the publisher's vocabulary lacks.
std::vector<std::string> absentTokens(const Tokenizer& tokenizer) {
    std::vector<std::string> names;
    for (std::int32_t id = 0; id < tokenizer.specials(); ++id)
        if (tokenizer.publisherId(id) < 0) names.push_back(tokenizer.token(id));
    return names;
}

void toPublishedRows(NamedTensors& weights, const std::vector<std::int64_t>& order, PublishedForm form) {
    takeRowsOfTokens(weights, order);
    if (form != PublishedForm::Gpt2 || !weights.contains("head.bias")) return;
    if (weights.at("head.bias").count_nonzero().item<std::int64_t>() > 0)
        throwNoForm("the variant is no GPT-2: its bias of the logits (head.bias) is not zero", form,
                    "set head.bias to false, or train with train.start.freeze head.bias");
    weights.erase("head.bias");
}

}  // namespace

ExportedWeights exportWeights(const WeightsExport& request) {
    PublishedModel published = requirePublishedForm(request.spec.variant, request.form);
    const std::string folder = tokenizerFolderOf(request.checkpointFolder);
    const RecordedFiles recorded = recordedFiles(readCheckpointIdentity(request.checkpointFolder), request.checkpointFolder);
    const auto [tokenizer, target] = loadTokenizers(folder, recorded);
    published.classes = loadClasses(folder, recorded);
    TokenizerFiles files = tokenizerFiles(*tokenizer, request.form, published.positions);
    NamedTensors weights = readCheckpointWeights(request.checkpointFolder);
    requireFinite(weights, request.checkpointFolder);
    const std::vector<std::int64_t> order = publishedOrder(*tokenizer);
    published.words = std::ssize(order);
    toPublishedRows(weights, order, request.form);
    std::string bytes = SafetensorsImage(underTheirNames(weights, request.form), {{"format", "pt"}}).joined();
    ExportedWeights exported;
    exported.weightsSha256 = sha256Hex(bytes);
    files.insert(files.begin(),
                 {{"config.json", dumped(configOf(published), 2) + "\n"}, {"model.safetensors", std::move(bytes)}});
    for (const auto& [name, text] : files) {
        writeFileAtomically(request.folder + "/" + name, text, Readers::Umask);
        exported.files.push_back(name);
    }
    if (const auto absent = absentTokens(*tokenizer); !absent.empty())
        exported.notes.push_back("the tokenizer.json has no tokens for " + listedNames(absent) +
                                 ": their rows are left out; begin texts with " + tokenizer->token(kEos));
    return exported;
}

}  // namespace heddle
