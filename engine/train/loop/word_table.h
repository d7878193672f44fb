// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/dataset.h"
#include "engine/model/model.h"

#include <string>
#include <vector>

namespace heddle {

/// Fills a model's frozen embedding tables from data.vectors, a word of the vocabulary at a time; words that the file lacks,
/// and the marks, are zero. Appends the file's hash to data.dataHashes and the coverage to data.notes. Does nothing for a
/// variant without such tables. Throws Error(InvalidInput) when the spec names no file, its vectors are not dims.d long, or it
/// has none of the vocabulary's words.
void fillFrozenTables(Model& model, const RunSpec& spec, RunData& data);

}  // namespace heddle
