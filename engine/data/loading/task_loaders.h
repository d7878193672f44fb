// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/loading/run_data.h"

#include <functional>
#include <string>
#include <vector>

namespace heddle {

/// Loads the data of a task. Each task or family of tasks has a file that defines loadNameData(); each task has a line in
/// task_loaders.cpp.
using LoadTask = RunData (*)(const LoadContext& context);

/// The loader of a task, from the list in task_loaders.cpp.
LoadTask loaderOf(const TaskKind& task);

// ---- what the loaders share ----

/// Throws Error(InvalidInput): data.format is made for another task than data.task.
[[noreturn]] void throwOtherTask(const DataSpec& spec, const std::string& taskOfFormat);

/// For tasks with one tokenizer: the result of `load`, from the cache if nothing has changed, with a report on its tokens.
RunData loadRows(const LoadContext& context, const std::function<RunData()>& load);

/// Gives `data` its tokenizers: those in folders.tokenizers, or trained on these lines, through the cache. `target` is null for
/// a task with one side.
void addTokenizers(const LoadContext& context, const std::vector<std::string>& source, const std::vector<std::string>* target,
                   RunData& data);

/// Both texts of every example, one a line.
std::vector<std::string> textsOf(const std::vector<Example>& examples);

/// Loads sentence pairs whose files are the splits themselves: reads and checks them, trains tokenizers and encodes. Leaves out
/// training pairs with an empty side or longer than data.max_tokens. Keeps all pairs of valid and test, cut to context.maxLen.
/// `stopRequested` is polled; when true, throws Error("stopped"). Throws Error(InvalidInput) naming file, line and column for:
/// missing file, unequal line counts, invalid UTF-8, empty corpus, NUL, lines over 16 MiB. Cache files are named by the SHA-256
/// of all that they depend on: "tokenizer-<hash>.heddlecache" and "corpus-<hash>.heddlecache"; a damaged one is made again,
/// with a note. Training files that have not changed since the cache was made (see FileIndex) are not read again.
RunData loadTranslation(const LoadContext& context);

}  // namespace heddle
