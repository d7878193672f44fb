// SPDX-License-Identifier: Apache-2.0
#include "engine/train/loop/word_table.h"

#include "engine/base/error.h"
#include "engine/data/vectors/word_vectors.h"
#include "engine/device/torch_pch.h"
#include "engine/train/checkpoint/named_tensors.h"

#include <algorithm>
#include <unordered_map>

namespace heddle {
namespace {

/// Row numbers by word.
std::unordered_map<std::string, std::int64_t> vocabularyOf(const Tokenizer& tokenizer) {
    std::unordered_map<std::string, std::int64_t> words;
    for (std::int64_t id = tokenizer.specials(); id < tokenizer.size(); ++id)
        words.emplace(tokenizer.token(static_cast<std::int32_t>(id)), id);
    return words;
}

void fill(const at::Tensor& table_VD, const Tokenizer& tokenizer, const std::string& file, RunData& data) {
    const auto rows = vocabularyOf(tokenizer);
    ReadVectorsOptions options;
    options.wanted = [&](const std::string& word) { return rows.contains(word); };
    const WordVectors vectors = readWordVectors(file, options);
    if (vectors.dim != table_VD.size(1))
        throwInvalid("the word vectors have " + std::to_string(vectors.dim) + " dimensions, but dims.d is " +
                         std::to_string(table_VD.size(1)),
                     "data.vectors: " + file, "set dims.d to " + std::to_string(vectors.dim));
    if (vectors.words.empty())
        throwInvalid("the file contains no word of the vocabulary", "data.vectors: " + file,
                     "check data.tokenizer: kind, split and lower must match the vectors");
    at::Tensor host_VD = at::zeros({tokenizer.size(), vectors.dim}, at::kFloat);
    for (std::size_t i = 0; i < vectors.words.size(); ++i) {
        const float* const values = vectors.values.data() + static_cast<std::int64_t>(i) * vectors.dim;
        std::copy(values, values + vectors.dim, host_VD.mutable_data_ptr<float>() + rows.at(vectors.words[i]) * vectors.dim);
    }
    const at::NoGradGuard noGrad;
    at::Tensor(table_VD).resize_(host_VD.sizes()).copy_(host_VD);
    data.dataHashes.push_back(vectors.sha256);
    data.notes.push_back("word vectors: " + std::to_string(vectors.words.size()) + " of the vocabulary's " +
                         std::to_string(rows.size()) + " words are in " + file + "; the others are zero");
}

}  // namespace

std::vector<std::string> fillFrozenTables(Model& model, const RunSpec& spec, RunData& data) {
    const auto tables = tablesFromFile(model);
    const auto known = static_cast<std::ptrdiff_t>(data.dataHashes.size());
    if (!tables.empty() && spec.data.vectors.empty())
        throwInvalid("the variant needs word vectors, but the spec has no data.vectors", "data.vectors",
                     "set data.vectors to a word2vec or GloVe file, or embed.vectors to \"random\"");
    for (const auto& [path, table] : tables) {
        const bool ofTarget = path.find(".target.") != std::string::npos;
        fill(table, ofTarget ? *data.targetTokenizer : *data.sourceTokenizer, spec.data.vectors, data);
    }
    return {data.dataHashes.begin() + known, data.dataHashes.end()};
}

}  // namespace heddle
