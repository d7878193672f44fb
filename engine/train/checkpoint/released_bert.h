// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/checkpoint/named_tensors.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// The weights of a published BERT under the paths of preset bert-base: `file` is the model.safetensors of an encoder with or
/// without its masked-language-model head, named as Hugging Face's transformers does (BertModel, BertForMaskedLM,
/// BertForPreTraining; LayerNorm's weight and bias also as gamma and beta). Row i of what has a row a word (embedding, head) is
/// the file's row rows[i]: special tokens have other ids here than in vocab.txt. Values as stored (fp32, fp16 or bf16). The
/// pooler goes to head.pooler; the next-sentence head is left out. Throws Error(InvalidInput) for a file that is damaged, holds
/// no such encoder, or whose words are not as many as `rows`.
NamedTensors readReleasedBert(const std::string& file, const std::vector<std::int64_t>& rows);

}  // namespace heddle
