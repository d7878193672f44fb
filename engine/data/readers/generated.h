// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/readers/examples.h"
#include "engine/spec/data_files.h"

#include <string>
#include <vector>

namespace heddle {

/// A synthetic task: needs no files, has known solutions and a difficulty set by length and distance.
struct GeneratedFormat {
    std::string id;    ///< "generated/copy"
    std::string task;  ///< the task it trains
    std::string summary;
    std::vector<std::string> classes;
};

/// Throws Error(InvalidInput) with the nearest id for an unknown one.
const GeneratedFormat& generatedFormat(const std::string& id);

/// Examples of one split ("train", "valid", "test"): a pure function of format, options and split. Words are w0, w1, …;
///   copy       second = first                       reverse   second = first, backwards
///   sort       second = the words in order          (pairs for task translation)
///   position   tag of word i is p(i mod 8)          (task tag)
///   agreement  class says whether the marked word and the one `distance` later are of the same kind (task classify)
std::vector<Example> generateExamples(const std::string& format, const GeneratedSpec& spec, const std::string& split);

}  // namespace heddle
