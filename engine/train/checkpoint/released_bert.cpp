// SPDX-License-Identifier: Apache-2.0
#include "engine/train/checkpoint/released_bert.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "engine/train/checkpoint/published_names.h"
#include "engine/train/checkpoint/safetensors.h"

#include <string>
#include <vector>

namespace heddle {

NamedTensors readReleasedBert(const std::string& file, const std::vector<std::int64_t>& rows) {
    NamedTensors weights = underOurNames(readSafetensors(file), PublishedForm::Bert, file);
    std::erase_if(weights, [](const auto& named) { return named.first.starts_with("head.out."); });  // of other classes
    if (!weights.contains("embed.shared.weight") || !weights.contains("encoder.layers.0.self.scorer.q.weight"))
        throwInvalid("contains no BERT encoder with the tensor names of Hugging Face's transformers", file,
                     "use the model.safetensors of a BERT, or a checkpoint of a run");
    for (const char* path : kRowsOfTokens)
        if (const auto found = weights.find(path); found != weights.end() && found->second.size(0) != std::ssize(rows))
            throwInvalid("has " + std::to_string(found->second.size(0)) + " words, but the vocabulary has " +
                             std::to_string(rows.size()),
                         file, "set data.tokenizer.vocab to the vocab.txt that was published with these weights");
    takeRowsOfTokens(weights, rows);
    return weights;
}

}  // namespace heddle
