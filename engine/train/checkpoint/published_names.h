// SPDX-License-Identifier: Apache-2.0
// The names that Hugging Face's transformers give to the tensors of BERT and GPT-2, and ours.
#pragma once

#include "engine/run/exchange.h"
#include "engine/train/checkpoint/named_tensors.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Our paths of the tensors that have one row per token.
inline constexpr const char* kRowsOfTokens[] = {"embed.shared.weight", "head.weight", "head.bias"};

/// What to do about files that contradict each other.
inline constexpr const char* kUseTogether = "use the files that were published together";

/// Their tensors under our names, in our shapes. The prefix of the base model ("bert.", "transformer.") may be missing; the
/// leaves gamma and beta of the first releases are read as weight and bias. Adds the names of tensors that Heddle does not
/// know to `unknown`, unless that is null; buffers that transformers computes itself are left out without a word. Throws
/// Error(InvalidInput) naming `where` and a tensor that is quantised, or of a shape that cannot be split.
NamedTensors underOurNames(const NamedTensors& theirs, PublishedForm form, const std::string& where,
                           std::vector<std::string>* unknown = nullptr);

/// The inverse: the names of the class of transformers that has a head, with the prefix of the base model before all that is
/// not of the head. Every tensor must have a name.
NamedTensors underTheirNames(const NamedTensors& ours, PublishedForm form);

/// Gives each tensor of kRowsOfTokens the row rows[i] as its row i.
void takeRowsOfTokens(NamedTensors& weights, const std::vector<std::int64_t>& rows);

}  // namespace heddle
