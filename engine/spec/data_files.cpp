// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/data_files.h"

#include "engine/base/error.h"
#include "engine/spec/task_kinds.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace heddle {
namespace {

constexpr const char* kAveraged = "-average-";

using NamedFile = std::pair<std::string, std::string>;  ///< path of the setting, file

/// The files of the splits in the order of a run's data hashes.
std::vector<NamedFile> splitFiles(const DataSpec& data) {
    std::vector<NamedFile> files;
    const bool pairs = taskKind(data.task).readsPairs();
    const auto add = [&](const std::string& split, const ParallelFiles& named) {
        if (!named.source.empty()) files.emplace_back("data." + split + ".source", named.source);
        if (pairs && !named.target.empty()) files.emplace_back("data." + split + ".target", named.target);
    };
    add("train", data.train);
    add("valid", data.valid);
    add("test", data.test);
    return files;
}

/// The files of tokenizers and word vectors, whose hashes follow.
std::vector<NamedFile> furtherFiles(const DataSpec& data) {
    std::vector<NamedFile> files;
    const auto addTokenizer = [&](const TokenizerSpec& tokenizer, const std::string& path) {
        if (!tokenizer.vocab.empty()) files.emplace_back(path + ".vocab", tokenizer.vocab);
        if (!tokenizer.file.empty()) files.emplace_back(path + ".file", tokenizer.file);
    };
    addTokenizer(data.tokenizer, "data.tokenizer");
    const bool hasTarget = taskKind(data.task).target == TaskKind::Target::Translation && !data.tokenizer.shared;
    if (hasTarget) addTokenizer(data.tokenizer.forTarget(), "data.tokenizer.target");
    if (!data.vectors.empty()) files.emplace_back("data.vectors", data.vectors);
    return files;
}

}  // namespace

bool isGenerated(const std::string& format) { return format.starts_with("generated/"); }

void requireDataFiles(const DataSpec& data) {
    if (isGenerated(data.format)) return;
    const bool pairs = taskKind(data.task).readsPairs();
    if (data.train.source.empty() || (pairs && data.train.target.empty()))
        throwInvalid("no training data in the spec", "data.train",
                     pairs ? "set data.train.source and data.train.target to files"
                           : "set data.train.source to a file, or data.format to a generated one");
    for (const auto* split : {&data.train, &data.valid, &data.test}) {
        if (pairs && split->source.empty() != split->target.empty())
            throwInvalid("a split needs a source and a target", split->source.empty() ? split->target : split->source,
                         "set both source and target");
        for (const auto* file : {&split->source, &split->target})
            if (!file->empty() && !std::filesystem::exists(*file))
                throwInvalid("there is no such file", *file, "correct the path in data.train, data.valid or data.test");
    }
}

FileContents fileContents(const RunSpec& run, const std::vector<std::string>& dataHashes) {
    FileContents contents;
    std::vector<NamedFile> files = isGenerated(run.data.format) ? std::vector<NamedFile>{} : splitFiles(run.data);
    const std::vector<NamedFile> further = furtherFiles(run.data);
    if (files.size() + further.size() == dataHashes.size()) files.insert(files.end(), further.begin(), further.end());
    if (files.size() <= dataHashes.size())
        for (std::size_t i = 0; i < files.size(); ++i) contents[files[i].first] = dataHashes[i];
    if (!run.train.start.weightsSha256.empty()) contents["train.start.checkpoint"] = run.train.start.weightsSha256;
    return contents;
}

std::string averagedSplit(const std::string& split, std::int64_t count) { return split + kAveraged + std::to_string(count); }

std::string splitContent(const FileContents& contents, const std::string& split) {
    const auto of = [&](const std::string& name) {
        std::string both;
        for (const char* side : {".source", ".target"})
            if (const auto found = contents.find("data." + name + side); found != contents.end()) both += found->second + "\n";
        return both;
    };
    const std::string own = of(split.substr(0, split.find(kAveraged)));
    return own.empty() ? of("train") : own;
}

}  // namespace heddle
