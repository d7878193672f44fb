// SPDX-License-Identifier: Apache-2.0
#include "engine/train/checkpoint/released_bert.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "engine/train/checkpoint/safetensors.h"

#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace heddle {
namespace {

constexpr const char* kWords = "embed.shared.weight";
constexpr const char* kWordRows[] = {kWords, "head.weight", "head.bias"};  ///< one row per token

/// Modules of transformers → our modules; $1 is the layer number.
const std::vector<std::pair<std::regex, std::string>>& modules() {
    static const std::vector<std::pair<std::regex, std::string>> kModules = [] {
        const std::string layer = R"(encoder\.layer\.(\d+)\.)", ours = "encoder.layers.$1.";
        std::vector<std::pair<std::regex, std::string>> list;
        const auto add = [&](const std::string& theirs, const std::string& name) { list.emplace_back(theirs, name); };
        add(R"(embeddings\.word_embeddings)", "embed.shared");
        add(R"(embeddings\.token_type_embeddings)", "embed.types");
        add(R"(embeddings\.LayerNorm)", "embed.norm");
        add(R"(embeddings\.position_embeddings)", "position");
        add(layer + R"(attention\.self\.query)", ours + "self.scorer.q");
        add(layer + R"(attention\.self\.key)", ours + "self.scorer.k");
        add(layer + R"(attention\.self\.value)", ours + "self.value.v");
        add(layer + R"(attention\.output\.dense)", ours + "self.value.out");
        add(layer + R"(attention\.output\.LayerNorm)", ours + "self.norm");
        add(layer + R"(intermediate\.dense)", ours + "ffn.ffn.in");
        add(layer + R"(output\.dense)", ours + "ffn.ffn.out");
        add(layer + R"(output\.LayerNorm)", ours + "ffn.norm");
        add(R"(cls\.predictions\.transform\.dense)", "head.dense");
        add(R"(cls\.predictions\.transform\.LayerNorm)", "head.norm");
        add(R"(cls\.predictions)", "head");           // only its bias: the matrix is the embedding
        add(R"(cls\.predictions\.decoder)", "head");  // if the file repeats the matrix
        add(R"(pooler\.dense)", "head.pooler");
        return list;
    }();
    return kModules;
}

/// Our path of a tensor of transformers, or "".
std::string pathOf(std::string name) {
    if (name.starts_with("bert.")) name.erase(0, 5);
    const auto dot = name.rfind('.');
    if (dot == std::string::npos) return "";
    std::string leaf = name.substr(dot + 1);
    name.erase(dot);
    if (leaf == "gamma") leaf = "weight";
    if (leaf == "beta") leaf = "bias";
    if (leaf != "weight" && leaf != "bias") return "";
    for (const auto& [theirs, ours] : modules())
        if (std::regex_match(name, theirs)) return std::regex_replace(name, theirs, ours) + "." + leaf;
    return "";
}

}  // namespace

NamedTensors readReleasedBert(const std::string& file, const std::vector<std::int64_t>& rows) {
    NamedTensors weights;
    for (auto& [name, tensor] : readSafetensors(file)) {
        if (const std::string path = pathOf(name); !path.empty()) {
            if (!tensor.is_floating_point())
                throwInvalid(
                    c10::str("tensor \"", name, "\" is ", tensor.scalar_type(), ": quantised values are not supported"), file,
                    "use weights that are not quantised");
            weights.emplace(path, tensor);
        }
    }
    if (!weights.contains(kWords) || !weights.contains("encoder.layers.0.self.scorer.q.weight"))
        throwInvalid("contains no BERT encoder with the tensor names of Hugging Face's transformers", file,
                     "use the model.safetensors of a BERT, or a checkpoint of a run");
    const at::Tensor rows_V = at::tensor(rows, at::kLong);
    for (const char* path : kWordRows) {
        const auto found = weights.find(path);
        if (found == weights.end()) continue;
        if (found->second.size(0) != rows_V.size(0))
            throwInvalid("has " + std::to_string(found->second.size(0)) + " words, but the vocabulary has " +
                             std::to_string(rows.size()),
                         file, "set data.tokenizer.vocab to the vocab.txt that was published with these weights");
        found->second = found->second.index_select(0, rows_V);
    }
    return weights;
}

}  // namespace heddle
