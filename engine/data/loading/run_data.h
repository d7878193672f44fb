// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json_fwd.h"
#include "engine/data/batching/encoded_corpus.h"
#include "engine/data/loading/select.h"
#include "engine/data/readers/examples.h"
#include "engine/data/tokenizers/tokenizer.h"
#include "engine/data/tokenizers/tokenizer_report.h"
#include "engine/spec/run_spec.h"
#include "engine/spec/task_kinds.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// A warning about the data; it must be shown beside the run's numbers, because it changes their meaning.
struct SplitWarning {
    std::string split;  ///< the split that it is about: "train", "valid", "test"; empty: all
    std::string text;   ///< a sentence that names the split, too
    bool operator==(const SplitWarning&) const = default;
};
std::vector<std::string> warningTexts(const std::vector<SplitWarning>& warnings);
/// The form in the cache: {"split", "text"}.
void to_json(Json& document, const SplitWarning& warning);
void from_json(const Json& document, SplitWarning& warning);

/// The data of a run: tokenizers trained on the training split only, and the encoded splits.
struct RunData {
    std::shared_ptr<const Tokenizer> sourceTokenizer, targetTokenizer;  ///< equal if the task has one side; null for images
    EncodedCorpus train, valid, test;                                   ///< test is empty when the spec names none
    std::vector<std::string> classes;                                   ///< names of the labels or tags, in order
    std::string synthetic;                ///< description of generated data; empty: data were read
    std::vector<std::string> dataHashes;  ///< SHA-256 of the files (after gunzip) and of a named tokenizer, in fixed order
    std::vector<std::string> notes;       ///< what was detected, dropped or truncated, with counts
    std::vector<SplitWarning> warnings;
    std::vector<TokenizerReport> reports;  ///< size, coverage and unknown rate: source's, target's

    /// Tells that examples were shortened or changed: in a note for the training split, in a warning for the other splits.
    void noteOrWarn(const std::string& split, std::string text);

    /// Vocabulary sizes; 0: no tokenizer.
    std::int64_t sourceWords() const { return sourceTokenizer ? sourceTokenizer->size() : 0; }
    std::int64_t targetWords() const { return targetTokenizer ? targetTokenizer->size() : 0; }
};

/// SHA-256 of the files that a run saves beside its checkpoints, as recorded in each checkpoint.
struct RecordedFiles {
    std::vector<std::string> tokenizers;  ///< of source and target; empty: not recorded, or no tokenizers
    std::string classes;                  ///< empty: likewise
};

/// Saves the tokenizers ("source.json"/"source.model", …) into a run's tokenizer folder, and loads them again; both sides share
/// one object if they have one tokenizer. Throws Error(InvalidInput) when a file's hash is not the recorded one.
void saveTokenizers(const RunData& data, const std::string& folder);
std::pair<std::shared_ptr<const Tokenizer>, std::shared_ptr<const Tokenizer>> loadTokenizers(
    const std::string& folder, const RecordedFiles& recorded = {});

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
