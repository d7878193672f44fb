// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/data_files.h"

#include "engine/base/error.h"
#include "engine/spec/task_kinds.h"

#include <filesystem>

namespace heddle {

bool isGenerated(const std::string& format) { return format.starts_with("generated/"); }

void requireDataFiles(const DataSpec& data) {
    if (isGenerated(data.format)) return;
    const bool pairs = taskKind(data.task).readsPairs();
    if (data.train.source.empty() || (pairs && data.train.target.empty()))
        throwInvalid("the spec names no training data", "data.train",
                     pairs ? "set data.train.source and data.train.target to files"
                           : "set data.train.source to a file, or data.format to a generated one");
    for (const auto* split : {&data.train, &data.valid, &data.test}) {
        if (pairs && split->source.empty() != split->target.empty())
            throwInvalid("a split needs both sides", split->source.empty() ? split->target : split->source,
                         "name a source and a target file");
        for (const auto* file : {&split->source, &split->target})
            if (!file->empty() && !std::filesystem::exists(*file))
                throwInvalid("there is no such file", *file, "correct the path in data.train, data.valid or data.test");
    }
}

}  // namespace heddle
