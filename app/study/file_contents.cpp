// SPDX-License-Identifier: Apache-2.0
#include "app/study/file_contents.h"

#include "engine/base/json.h"
#include "engine/run/attempt_facts.h"
#include "engine/spec/run_spec.h"

#include <algorithm>
#include <utility>

namespace heddle::app {

std::vector<NamedFile> namedFiles(const Json& document) {
    std::vector<NamedFile> files;
    for (const MarkedSetting& setting : markedSettings()) {
        const FieldSchema::Role role = setting.field->role;
        if (role != FieldSchema::Role::DataFile && role != FieldSchema::Role::TokenizerFile) continue;
        if (!document.contains(setting.pointer) || !document.at(setting.pointer).is_string()) continue;
        if (std::string path = document.at(setting.pointer).get<std::string>(); !path.empty())
            files.push_back({setting.path, std::move(path), role});
    }
    return files;
}

std::vector<std::string> recordedDataHashes(storage::RunQuery& query, const std::string& run) {
    const auto attempts = query.attempts(run);
    return attempts.empty() ? std::vector<std::string>() : attemptFacts(attempts.back().context).dataHashes;
}

bool differ(const FileContents& a, const FileContents& b) {
    return std::any_of(a.begin(), a.end(), [&](const auto& one) {
        const auto other = b.find(one.first);
        return other != b.end() && !one.second.empty() && !other->second.empty() && other->second != one.second;
    });
}

std::optional<std::string> FirstContents::changedFor(const Json& document, const FileContents& contents) {
    decltype(all_) read;
    for (const auto& file : namedFiles(document))
        if (const auto content = contents.find(file.setting); content != contents.end() && !content->second.empty())
            read.emplace(std::pair(file.setting, file.path), content->second);
    for (const auto& [file, content] : read)
        if (const auto before = all_.find(file); before != all_.end() && before->second != content) return file.second;
    all_.merge(read);
    return {};
}

}  // namespace heddle::app
