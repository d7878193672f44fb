// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/checkpoint/named_tensors.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// A parameter under the name of Hugging Face's transformers and under ours; "*" stands for the number of a layer.
struct PublishedName {
    const char* theirs;
    const char* ours;
    bool isTransposed = false;  ///< theirs is [inputs, outputs]
    int third = -1;             ///< 0, 1, 2: ours is this third of their outputs
};

/// The parameters of BertModel without the prefix "bert.", of its heads for masked words and classes, and of its pooler.
const std::vector<PublishedName>& bertNames();
/// The parameters of GPT2Model without the prefix "transformer.", and of its head where that is not the embedding.
const std::vector<PublishedName>& gpt2Names();

/// "*" in place of the number of a layer, which `layer` gets.
std::string withoutLayer(const std::string& name, std::string& layer);
/// The inverse.
std::string withLayer(std::string name, const std::string& layer);

/// Their tensors under our names, in our shapes; those that no name stands for are added to `unknown`, unless that is null.
/// `prefix` is left out where a name has it; gamma and beta, as the first releases have them, are weight and bias. Throws
/// Error(InvalidInput) naming `where` and a tensor that is quantised, or of a shape that cannot be transposed or split.
NamedTensors underOurNames(NamedTensors theirs, const std::vector<PublishedName>& names, const std::string& prefix,
                           const std::string& where, std::vector<std::string>* unknown = nullptr);

/// The inverse, without prefix. Every tensor must have a name.
NamedTensors underTheirNames(const NamedTensors& ours, const std::vector<PublishedName>& names);

}  // namespace heddle
