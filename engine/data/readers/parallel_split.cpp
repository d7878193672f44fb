// SPDX-License-Identifier: Apache-2.0
#include "engine/data/readers/parallel_split.h"

#include "engine/base/error.h"

#include <fmt/format.h>

namespace heddle {

ParallelSplit::ParallelSplit(const ParallelFiles& files, const std::string& name, const FileIndex& index,
                             std::function<bool()> stopRequested)
    : index_(&index), stopRequested_(std::move(stopRequested)) {
    if (files.source.empty() || files.target.empty())
        throwInvalid(files.source.empty() ? "no source file" : "no target file", "data." + name, "give both files of the pair");
    source_ = open(files.source);
    target_ = open(files.target);
    const std::string where = fmt::format("data.{}: {}, {}", name, files.source, files.target);
    if (source_.facts.lines != target_.facts.lines)
        throwInvalid(fmt::format("the source has {} lines, the target {}", source_.facts.lines, target_.facts.lines), where,
                     "line N of the target must be the translation of line N of the source");
    if (lines() == 0) throwInvalid("the files are empty", where, "give files with one sentence per line");
}

ParallelSplit::Side ParallelSplit::open(const std::string& path) const {
    if (auto known = index_->find(path)) return {path, std::move(*known), std::nullopt};
    TextFile file = index_->read(path, stopRequested_);
    const auto count = static_cast<std::int64_t>(file.lines.size());
    return {path, {file.sha256, count, std::move(file.notes)}, std::move(file.lines)};
}

std::vector<std::string> ParallelSplit::linesOf(Side& side) const {
    if (side.lines) return std::move(*side.lines);
    TextFile file = index_->read(side.path, stopRequested_);
    if (file.sha256 != side.facts.sha256)
        throw Error(ErrorCode::Failure, "the file was changed while the data were prepared", side.path, "start again");
    return std::move(file.lines);
}

std::vector<std::string> ParallelSplit::hashes() const {
    if (index_ == nullptr) return {};
    return {source_.facts.sha256, target_.facts.sha256};
}

std::vector<std::string> ParallelSplit::notes() const {
    std::vector<std::string> notes = source_.facts.notes;
    notes.insert(notes.end(), target_.facts.notes.begin(), target_.facts.notes.end());
    return notes;
}

const ParallelText& ParallelSplit::text(std::int64_t limit) {
    if (!text_) {
        text_.emplace();
        if (index_ != nullptr) *text_ = {linesOf(source_), linesOf(target_), hashes(), notes()};
        if (limit > 0 && limit < lines())
            for (auto* side : {&text_->source, &text_->target}) side->resize(static_cast<std::size_t>(limit));
    }
    return *text_;
}

ParallelText readParallelText(const ParallelFiles& files, const std::string& name, const std::function<bool()>& stopRequested) {
    const FileIndex index("");
    return ParallelSplit(files, name, index, stopRequested).text();
}

}  // namespace heddle
