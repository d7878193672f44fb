// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/exchange.h"
#include "engine/train/checkpoint/named_tensors.h"

#include <string>

namespace heddle {

/// See Engine::importWeights and Engine::exportWeights.
ImportedWeights importWeights(const WeightsImport& request);
ExportedWeights exportWeights(const WeightsExport& request);

/// The bias of a logit of the head of an imported GPT-2 for a token that its vocabulary lacks (<unk>, <pad>, <sos>), whose row
/// is that of <eos>: its probability is e^-100 times that of <eos>, so that the others are those of the published model.
inline constexpr double kAbsentBias = -100;

/// The weights of a folder of transformers.
struct PublishedFiles {
    NamedTensors weights;
    std::string sha256;  ///< of the file; of several, of their hashes in the order of their names
    std::string where;   ///< for errors
};

/// Reads model.safetensors, or all files that model.safetensors.index.json names. Throws Error(InvalidInput) for a folder
/// without them, an index that names a file outside of the folder or a tensor that its file lacks, and a tensor that two files
/// have.
PublishedFiles readPublishedFiles(const std::string& folder);

}  // namespace heddle
