// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/error.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/task_kinds.h"

#include <string>
#include <vector>

namespace heddle {

/// All problems of a variant document as "path|what|next" lines.
inline std::string problemsOf(const Json& document) {
    std::vector<Problem> problems;
    VariantSpec::parse(document, builtinCatalogue(), problems);
    std::string lines;
    for (const auto& problem : problems) lines += problem.path + "|" + problem.what + "|" + problem.next + "\n";
    return lines;
}

/// Why this variant cannot be trained for the task; empty: it can.
inline std::string trainingRefusal(const VariantSpec& variant, const std::string& task) {
    RunSpec run;
    run.variant = variant;
    run.data.task = task;
    try {
        throwIfNotTrainable(run);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace heddle
