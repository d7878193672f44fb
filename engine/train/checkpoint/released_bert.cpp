// SPDX-License-Identifier: Apache-2.0
#include "engine/train/checkpoint/released_bert.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "engine/train/checkpoint/published_names.h"
#include "engine/train/checkpoint/safetensors.h"

#include <string>
#include <vector>

namespace heddle {
namespace {

constexpr const char* kWords = "embed.shared.weight";
constexpr const char* kWordRows[] = {kWords, "head.weight", "head.bias"};  ///< one row per token

}  // namespace

NamedTensors readReleasedBert(const std::string& file, const std::vector<std::int64_t>& rows) {
    NamedTensors weights = underOurNames(readSafetensors(file), bertNames(), "bert.", file);
    std::erase_if(weights, [](const auto& named) { return named.first.starts_with("head.out."); });  // of other classes
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
