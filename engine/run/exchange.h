// SPDX-License-Identifier: Apache-2.0
// Weights of other programs, and for them.
#pragma once

#include "engine/run/events.h"
#include "engine/spec/run_spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// A folder of Hugging Face's transformers: config.json, model.safetensors or model.safetensors.index.json, and tokenizer.json
/// or vocab.txt.
struct WeightsImport {
    std::string folder;
    std::string runFolder;                 ///< absolute, new: gets the checkpoint step-0 and the tokenizers
    std::string name;                      ///< of the run
    std::vector<std::string> assignments;  ///< to the spec ("data.test.source=FILE"), after it was made
};

struct ImportedWeights {
    RunSpec spec;
    std::string runHash;
    std::int64_t parameters = 0;
    CheckpointWritten checkpoint;
    std::vector<std::string> tokenizerHashes, notes;
    std::string weightsSha256;  ///< of the given files; of several in the order of their names
};

/// The forms of a folder that transformers reads.
enum class PublishedForm { Bert, Gpt2 };
template <>
struct ChoiceWords<PublishedForm> {
    static constexpr ChoiceWord<PublishedForm> kAll[] = {{"bert", PublishedForm::Bert}, {"gpt2", PublishedForm::Gpt2}};
};

struct WeightsExport {
    RunSpec spec;
    std::string checkpointFolder;  ///< the tokenizers are beside it
    std::string folder;            ///< there and empty
    PublishedForm form = PublishedForm::Bert;
};

struct ExportedWeights {
    std::vector<std::string> files, notes;
    std::string weightsSha256;  ///< of model.safetensors
};

}  // namespace heddle
