// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/dataset.h"
#include "engine/data/examples.h"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace heddle {

/// Reads everything that a run's task needs, by data.task and data.format; see loadTranslationData() for cache, stop and
/// errors. A run that starts from a checkpoint takes the tokenizers and the classes of the run that wrote it.
RunData loadRunData(const RunSpec& spec, const std::string& cacheFolder, const std::function<bool()>& stopRequested);

/// Writes class names beside a run's tokenizers ("classes.json"), and reads them again (empty: the task has none).
void saveClasses(const RunData& data, const std::string& folder);
std::vector<std::string> loadClasses(const std::string& folder);

/// Folder of the tokenizers of the run that wrote a checkpoint: beside it.
std::string tokenizerFolderOf(const std::string& checkpointFolder);

// ---- what the loaders of single texts share ----

/// What a loader works with.
struct LoadContext {
    const RunSpec& spec;
    std::string cacheFolder;
    const std::function<bool()>& stopRequested;
    std::int64_t maxLen = 0;  ///< positions of the model
};

/// Examples of the three splits, read or generated, split and filtered as data.* says.
struct SplitExamples {
    std::vector<Example> train, valid, test;
};
SplitExamples readSplits(const LoadContext& context, RunData& data);

/// The tokenizer of a task with one side: that of the checkpoint it starts from, or one trained on `lines`, through the cache.
std::shared_ptr<const Tokenizer> tokenizerFor(const LoadContext& context, const std::vector<std::string>& lines, RunData& data);

/// Both texts of every example, one a line.
std::vector<std::string> textsOf(const std::vector<Example>& examples);

// The loaders, one a family of tasks.
RunData loadLanguageData(const LoadContext& context);  ///< mlm, denoise, causal_lm
RunData loadExampleData(const LoadContext& context);   ///< classify, regress, tag, span
RunData loadImageData(const LoadContext& context);     ///< image

}  // namespace heddle
