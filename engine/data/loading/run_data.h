// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/dataset.h"
#include "engine/data/loading/select.h"
#include "engine/data/readers/examples.h"
#include "engine/spec/task_kinds.h"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

struct DataFolders {
    std::string cache;            ///< empty: none
    std::string tokenizers;       ///< tokenizers to take (see saveTokenizers); empty: they are made as data.tokenizer says
    RecordedFiles recorded = {};  ///< their expected hashes
};

/// Reads everything that a run's task needs, by the loader that task_loaders.cpp lists for it; see loadTranslation() for cache,
/// stop and errors.
RunData loadRunData(const RunSpec& spec, const DataFolders& folders, const std::function<bool()>& stopRequested);

/// Writes class names beside a run's tokenizers ("classes.json"), and reads them again (empty: the task has none). Throws
/// Error(InvalidInput) for a file that is not the recorded one.
void saveClasses(const RunData& data, const std::string& folder);
std::vector<std::string> loadClasses(const std::string& folder, const RecordedFiles& recorded);
/// SHA-256 of the file that saveClasses() writes; empty: it writes none.
std::string classesHash(const RunData& data);

/// Throws Error(InvalidInput) if a run's folder of tokenizers, or a file of saveTokenizers() or saveClasses() in it, is a link.
void requireNoLinkedVocabulary(const std::string& folder);

/// Folder of the tokenizers of the run that wrote a checkpoint: beside it.
std::string tokenizerFolderOf(const std::string& checkpointFolder);

/// Inputs of a loader.
struct LoadContext {
    const RunSpec& spec;
    const DataFolders& folders;
    const std::function<bool()>& stopRequested;
    std::int64_t maxLen = 0;  ///< positions of the model

    const TaskKind& task() const { return taskKind(spec.data.task); }
};

/// Examples of the three splits, read or generated, split and filtered as data.* says.
struct SplitExamples {
    std::vector<Example> train, valid, test;
    std::optional<SplitIndices> drawn = {};  ///< by data.split: numbers of the training files' examples, from 0
};
SplitExamples readSplits(const LoadContext& context, RunData& data);

}  // namespace heddle
