// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/error.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/task_kinds.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heddle {

/// Runs `action` and returns the message of the Error that it throws, which must be of this code; empty: it throws none.
template <ErrorCode kCode = ErrorCode::InvalidInput, typename Action>
std::string whyRefused(const Action& action) {
    try {
        action();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), kCode) << error.what();
        return error.what();
    }
    return "";
}

/// All problems of a variant document as "path|what|next" lines.
inline std::string problemsOf(const Json& document) {
    std::vector<Problem> problems;
    VariantSpec::parse(document, builtinCatalogue(), problems);
    std::string lines;
    for (const auto& problem : problems) lines += problem.path + "|" + problem.what + "|" + problem.next + "\n";
    return lines;
}

/// All problems of the variant document with this JSON text, written as by problemsOf().
inline std::string problemsOfText(const std::string& text) { return problemsOf(parseJson(text, "test")); }

/// Why this variant cannot be trained for the task; empty: it can.
inline std::string trainingRefusal(const VariantSpec& variant, const std::string& task) {
    RunSpec run;
    run.variant = variant;
    run.data.task = task;
    return whyRefused([&] { throwIfNotTrainable(run); });
}

}  // namespace heddle
