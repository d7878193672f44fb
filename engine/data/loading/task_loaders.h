// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/loading/run_data.h"

#include <functional>
#include <string>
#include <vector>

namespace heddle {

/// Loads what a task needs of its data. One file a task or a family of tasks, which defines loadNameData(), one line a task in
/// task_loaders.cpp.
using LoadTask = RunData (*)(const LoadContext& context);

/// The loader of a task, out of the list in task_loaders.cpp.
LoadTask loaderOf(const TaskKind& task);

// ---- what the loaders share ----

/// Throws Error(InvalidInput): data.format is made for another task than data.task.
[[noreturn]] void throwOtherTask(const DataSpec& spec, const std::string& taskOfFormat);

/// Rows of one tokenizer: what `load` reads, out of the cache where nothing has changed, with a report on its tokens.
RunData loadRows(const LoadContext& context, const std::function<RunData()>& load);

/// Gives `data` its tokenizers: those in folders.tokenizers, or trained on these lines, through the cache. `target` is null for
/// a task with one side.
void addTokenizers(const LoadContext& context, const std::vector<std::string>& source, const std::vector<std::string>* target,
                   RunData& data);

/// Both texts of every example, one a line.
std::vector<std::string> textsOf(const std::vector<Example>& examples);

}  // namespace heddle
