// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/loading/run_data.h"
#include "engine/model/model.h"

#include <string>
#include <vector>

namespace heddle {

/// Fills a model's frozen embedding tables from data.vectors. Rows of words that the file lacks and of special tokens are zero.
/// Appends the file's hash to data.dataHashes, once a table, and the coverage to data.notes; returns these hashes. Does nothing
/// for a variant without such tables. Throws Error(InvalidInput) when the spec names no file, its vectors do not have length
/// dims.d, or it contains no word of the vocabulary.
std::vector<std::string> fillFrozenTables(Model& model, const RunSpec& spec, RunData& data);

}  // namespace heddle
