// SPDX-License-Identifier: Apache-2.0
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/data/loading/run_data.h"
#include "engine/device/torch_pch.h"
#include "engine/exchange/exchange.h"
#include "engine/exchange/published_model.h"
#include "engine/model/builder.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "engine/train/checkpoint/published_names.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <utility>

namespace heddle {
namespace {

namespace fs = std::filesystem;

/// The tokenizer of the folder: tokenizer.json, else vocab.txt with "do_lower_case" of tokenizer_config.json.
std::shared_ptr<const Tokenizer> tokenizerIn(const std::string& folder, const PublishedModel& model) {
    TokenizerSpec spec;
    if (const std::string file = folder + "/tokenizer.json"; fs::is_regular_file(file)) return readTokenizer(file, spec);
    const std::string vocab = folder + "/vocab.txt";
    if (model.form != PublishedForm::Bert || !fs::is_regular_file(vocab))
        throwInvalid("the folder has no tokenizer.json", folder,
                     "have transformers save the tokenizer there: AutoTokenizer.from_pretrained(…).save_pretrained(…)");
    spec.kind = TokenizerKind::WordPiece;
    spec.lower = true;
    if (const std::string file = folder + "/tokenizer_config.json"; fs::is_regular_file(file)) {
        const Json config = readJsonFile(file);
        if (!config.is_object()) throwInvalid("the file is no JSON object", file, kUseTogether);
        const Json lower = config.value("do_lower_case", Json());
        if (lower.is_boolean()) spec.lower = lower.get<bool>();
    }
    return readTokenizer(vocab, spec);
}

/// For each of our ids the row of the published tables; −1: none. Throws where the tokenizer is not the model's.
std::vector<std::int64_t> rowsOfTokens(const Tokenizer& tokenizer, const PublishedModel& model, const std::string& folder) {
    std::vector<std::int64_t> rows;
    for (std::int64_t id = 0; id < tokenizer.size(); ++id) rows.push_back(tokenizer.publisherId(static_cast<std::int32_t>(id)));
    const auto count = std::count_if(rows.begin(), rows.end(), [](std::int64_t row) { return row >= 0; });
    if (count != model.words)
        throwInvalid("the tokenizer has " + std::to_string(count) + " tokens, but vocab_size of config.json is " +
                         std::to_string(model.words),
                     folder, kUseTogether);
    const bool isBert = model.form == PublishedForm::Bert;
    for (std::int32_t id = isBert ? kUnk : kEos; id <= (isBert ? kMask : kEos); ++id)
        if (id >= tokenizer.specials() || rows[static_cast<std::size_t>(id)] < 0)
            throwInvalid(isBert ? "the tokenizer lacks one of [UNK] [PAD] [CLS] [SEP] [MASK]"
                                : "the tokenizer has no special token <|endoftext|>, </s> or <eos>",
                         folder, "give a tokenizer with these special tokens");
    return rows;
}

/// The tables of tokens with our rows. A token that the published vocabulary lacks has the row of <eos>.
void orderRows(NamedTensors& weights, const std::vector<std::int64_t>& rows, const PublishedFiles& files) {
    std::vector<std::int64_t> taken = rows;
    for (std::int64_t& row : taken)
        if (row < 0) row = rows[kEos];
    const std::int64_t highest = *std::max_element(taken.begin(), taken.end());
    for (const char* path : kRowsOfTokens)
        if (const auto found = weights.find(path);
            found != weights.end() && (found->second.dim() < 1 || found->second.size(0) != highest + 1))
            throwInvalid(c10::str("the table of tokens (\"", path, "\") has the shape ", found->second.sizes(), " for ",
                                  highest + 1, " tokens"),
                         files.where, kUseTogether);
    takeRowsOfTokens(weights, taken);
}

/// The bias of the head that a GPT-2 does not have.
void addNeutralBias(NamedTensors& weights, const std::vector<std::int64_t>& rows) {
    at::Tensor bias_V = at::zeros({std::ssize(rows)}, at::kFloat);
    for (std::size_t id = 0; id < rows.size(); ++id)
        if (rows[id] < 0) bias_V[static_cast<std::int64_t>(id)].fill_(kAbsentBias);
    weights["head.bias"] = bias_V;
}

/// Sorts the classes as loaders do, and the rows of the head with them.
void sortClasses(std::vector<std::string>& classes, NamedTensors& weights) {
    std::vector<std::int64_t> order(classes.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return classes[static_cast<std::size_t>(a)] < classes[static_cast<std::size_t>(b)];
    });
    for (const char* path : {"head.out.weight", "head.out.bias"})
        if (const auto found = weights.find(path); found != weights.end() && found->second.size(0) == std::ssize(order))
            found->second = found->second.index_select(0, at::tensor(order, at::kLong));
    std::sort(classes.begin(), classes.end());
}

RunSpec specOf(const WeightsImport& request, const PublishedModel& model, const Tokenizer& tokenizer) {
    const TokenizerSpec made = tokenizer.spec();
    Json tokens{{"kind", wordOf(made.kind)}};
    if (made.lower) tokens["lower"] = true;
    const char* task = model.form == PublishedForm::Gpt2      ? "causal_lm"
                       : model.head == PublishedHead::Classes ? "classify"
                                                              : "mlm";
    Json data{{"task", task}, {"tokenizer", tokens}};
    if (model.head == PublishedHead::Classes) data["format"] = "tsv";  // of the texts that follow; lines have no classes
    Json document{{"schema", 1},
                  {"name", request.name},
                  {"variant", variantOf(model)},
                  {"data", data},
                  {"train", {{"label_smoothing", 0.0}}}};
    for (const std::string& assignment : request.assignments) applySet(document, assignment);
    return RunSpec::parse(document, builtinCatalogue());
}

/// Copies the published weights into the model; returns what was left out and drawn, for the user.
std::vector<std::string> fillFrom(const Model& model, NamedTensors weights, const PublishedModel& published,
                                  const std::string& where) {
    const at::NoGradGuard noGrad;
    std::vector<std::string> drawn, leftOut;
    for (const auto& [path, tensor] : savedTensors(model)) {
        const auto found = weights.find(path);
        if (found == weights.end()) {
            if (!path.starts_with("head.") || published.head != PublishedHead::None)
                throwInvalid("the file has no tensor for \"" + path + "\"", where, kUseTogether);
            drawn.push_back(path);
            continue;
        }
        if (found->second.sizes() != tensor.sizes())
            throwInvalid(c10::str("\"", path, "\" has the shape ", found->second.sizes(),
                                  " in the file, but by config.json it is ", tensor.sizes()),
                         where, kUseTogether);
        if (!at::isfinite(found->second).all().item<bool>())
            throwInvalid("the tensor for \"" + path + "\" contains NaN or infinite values", where, "use other weights");
        at::Tensor(tensor).copy_(found->second);
        weights.erase(found);
    }
    for (const auto& [path, tensor] : weights)
        if (path != "head.weight" && path != "head.bias") leftOut.push_back(path);
    std::vector<std::string> notes;
    if (!drawn.empty())
        notes.emplace_back(
            "the published model has no head, so this one is drawn at random: train it first (heddle fork, heddle "
            "train --from)");
    if (!leftOut.empty()) notes.push_back("the model of this task has no place for " + listedNames(leftOut) + ": left out");
    return notes;
}

Json identityOfImport(const RunSpec& spec, const RunData& data, const std::string& runHash) {
    const std::string tokenizer = data.sourceTokenizer->hash();
    Json identity{
        {"seed", std::to_string(spec.seed)}, {"variant_hash", spec.variant.hash()},        {"run_hash", runHash},
        {"data_hashes", data.dataHashes},    {"tokenizer_hashes", {tokenizer, tokenizer}}, {"vocab_source", data.sourceWords()},
        {"vocab_target", data.targetWords()}};
    if (const std::string hash = classesHash(data); !hash.empty()) identity["classes_hash"] = hash;
    return identity;
}

/// The data that the spec names, encoded by the saved tokenizer; nothing where it names none.
void readNamedData(const RunSpec& spec, const std::string& tokenizers, RunData& data) {
    if (spec.data.train.source.empty()) return;
    RunData read = loadRunData(spec, {"", tokenizers}, {});
    if (read.classes != data.classes)
        throwInvalid("the classes of the data (" + listedNames(read.classes) + ") are not those of the model (" +
                         listedNames(data.classes) + ")",
                     "data.train.source", "name the labels of the data as config.json does");
    data.dataHashes = std::move(read.dataHashes);
}

}  // namespace

ImportedWeights importWeights(const WeightsImport& request) {
    const std::string config = request.folder + "/config.json";
    if (!fs::is_regular_file(config))
        throwInvalid("no such file", config,
                     "give a folder of Hugging Face's transformers: config.json with model.safetensors");
    PublishedModel published = readPublishedModel(readJsonFile(config), config);
    RunData data;
    data.sourceTokenizer = data.targetTokenizer = tokenizerIn(request.folder, published);
    const std::vector<std::int64_t> rows = rowsOfTokens(*data.sourceTokenizer, published, request.folder);
    PublishedFiles files = readPublishedFiles(request.folder);
    std::vector<std::string> unknown;
    NamedTensors weights = underOurNames(std::exchange(files.weights, {}), published.form, files.where, &unknown);
    orderRows(weights, rows, files);
    if (published.form == PublishedForm::Gpt2) addNeutralBias(weights, rows);
    sortClasses(published.classes, weights);
    data.classes = published.classes;

    ImportedWeights imported;
    imported.spec = specOf(request, published, *data.sourceTokenizer);
    imported.weightsSha256 = files.sha256;
    const RunSpec& spec = imported.spec;
    const auto model =
        buildModel(spec.variant.resolve(data.sourceWords(), data.targetWords(), std::ssize(data.classes)), spec.seed);
    imported.notes = fillFrom(*model, std::move(weights), published, files.where);
    if (!unknown.empty()) imported.notes.push_back("Heddle has no parameters for " + listedNames(unknown) + ": left out");
    imported.parameters = model->parameters().count();

    const std::string tokenizers = request.runFolder + "/tokenizer";
    createFolderDurably(tokenizers);
    saveTokenizers(data, tokenizers);
    saveClasses(data, tokenizers);
    readNamedData(spec, tokenizers, data);
    imported.tokenizerHashes = {data.sourceTokenizer->hash(), data.targetTokenizer->hash()};
    std::vector<std::string> contents = data.dataHashes;
    contents.push_back(files.sha256);
    imported.runHash = spec.hash(contents);
    Checkpoint checkpoint;
    checkpoint.weights = savedTensors(*model);
    checkpoint.identity = identityOfImport(spec, data, imported.runHash);
    imported.checkpoint = writeCheckpoint(request.runFolder, checkpoint);
    return imported;
}

}  // namespace heddle
