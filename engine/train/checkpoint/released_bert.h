// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/checkpoint/named_tensors.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Reads the weights of a published BERT under the paths of preset bert-base. `file` is the model.safetensors of an encoder
/// with or without masked-language-model head, with the names of Hugging Face's transformers (BertModel, BertForMaskedLM,
/// BertForPreTraining; LayerNorm's weight and bias also as gamma and beta). Row i of tensors with one row per token (embedding,
/// head) is the file's row rows[i], because special tokens have other ids than in vocab.txt. Values as stored (fp32, fp16 or
/// bf16). The pooler goes to head.pooler; the next-sentence head is ignored. Throws Error(InvalidInput) for a file that is
/// damaged, has no such encoder, or another vocabulary size than `rows`.
NamedTensors readReleasedBert(const std::string& file, const std::vector<std::int64_t>& rows);

}  // namespace heddle
