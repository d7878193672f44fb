// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/named_tensors.h"

namespace heddle {

/// The weights of a published BERT under the paths of preset bert-base: `file` is the model.safetensors of an encoder with or
/// without its masked-language-model head, named as Hugging Face's transformers does (BertModel, BertForMaskedLM,
/// BertForPreTraining; LayerNorm's weight and bias also as gamma and beta). Values as stored (fp32, fp16 or bf16). What the
/// preset has no place for, such as the pooler and the next-sentence head, is left out. Throws Error(InvalidInput) for a file
/// that is damaged or holds no such encoder.
NamedTensors readReleasedBert(const std::string& file);

}  // namespace heddle
