// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/readers/file_index.h"
#include "engine/spec/run_spec.h"

namespace heddle {

/// One split as text: equally many source and target lines.
struct ParallelText {
    std::vector<std::string> source, target;
    std::vector<std::string> hashes;  ///< source's, target's
    std::vector<std::string> notes;
};

/// A split whose text is read on demand; files known to the index are not read before.
class ParallelSplit {
public:
    ParallelSplit() = default;  ///< no files, no lines

    /// Reads files unknown to the index, and checks that both have the same number of lines, at least 1. `name` ("train") is
    /// for messages.
    ParallelSplit(const ParallelFiles& files, const std::string& name, const FileIndex& index,
                  std::function<bool()> stopRequested);

    std::int64_t lines() const { return source_.facts.lines; }
    std::vector<std::string> hashes() const;  ///< source's, target's; empty without files
    std::vector<std::string> notes() const;

    /// The first `limit` lines (0: all). Throws Error(Failure) when a file has changed since the index was read.
    const ParallelText& text(std::int64_t limit = 0);

private:
    struct Side {
        std::string path;
        FileFacts facts;
        std::optional<std::vector<std::string>> lines;
    };

    Side open(const std::string& path) const;
    std::vector<std::string> linesOf(Side& side) const;

    const FileIndex* index_ = nullptr;
    std::function<bool()> stopRequested_;
    Side source_, target_;
    std::optional<ParallelText> text_;
};

/// Reads and checks both files of a split; `name` ("train") is for messages. An empty file is an error.
ParallelText readParallelText(const ParallelFiles& files, const std::string& name, const std::function<bool()>& stopRequested);

}  // namespace heddle
