// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/error.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/task_kinds.h"

#include <string>

namespace heddle {

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
