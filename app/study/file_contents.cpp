// SPDX-License-Identifier: Apache-2.0
#include "app/study/file_contents.h"

#include "engine/base/error.h"
#include "engine/base/sha256.h"
#include "engine/data/readers/byte_reader.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <utility>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFiles[] = {"data.train.source",
                                  "data.train.target",
                                  "data.valid.source",
                                  "data.valid.target",
                                  "data.test.source",
                                  "data.test.target",
                                  "data.vectors",
                                  "data.tokenizer.vocab",
                                  "data.tokenizer.file",
                                  "data.tokenizer.target.vocab",
                                  "data.tokenizer.target.file"};

/// The contents of a file when it had this size and time.
struct Remembered {
    std::uintmax_t size = 0;
    fs::file_time_type time;
    std::string content;
};

bool isTokenizer(const std::string& setting) { return setting.starts_with("data.tokenizer"); }

std::string readContent(const std::string& setting, const std::string& path) {
    if (isTokenizer(setting)) return sha256OfFile(path);
    ByteReader reader(path);
    while (!reader.read().empty()) {}
    return reader.sha256();
}

}  // namespace

std::map<std::string, std::string> namedFiles(const Json& document) {
    std::map<std::string, std::string> files;
    for (const char* setting : kFiles) {
        const Json::json_pointer at(pointerOf(setting));
        if (!document.contains(at) || !document.at(at).is_string()) continue;
        if (std::string path = document.at(at).get<std::string>(); !path.empty()) files[setting] = std::move(path);
    }
    return files;
}

std::string pointerOf(const std::string& setting) {
    std::string pointer = "/" + setting;
    std::replace(pointer.begin(), pointer.end(), '.', '/');
    return pointer;
}

std::string contentOf(const std::string& setting, const std::string& path) {
    static std::mutex mutex;
    static std::map<std::string, Remembered> all;
    const std::string key = (isTokenizer(setting) ? "t" : "d") + path;
    std::error_code failed;
    const std::uintmax_t size = fs::file_size(path, failed);
    if (failed) return {};
    const fs::file_time_type time = fs::last_write_time(path, failed);
    if (failed) return {};
    {
        const std::lock_guard lock(mutex);
        if (const auto found = all.find(key); found != all.end() && found->second.size == size && found->second.time == time)
            return found->second.content;
    }
    try {
        std::string content = readContent(setting, path);
        const std::lock_guard lock(mutex);
        all[key] = {size, time, content};
        return content;
    } catch (const Error&) {
        return {};
    }
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
        if (const auto content = contents.find(file.first); content != contents.end() && !content->second.empty())
            read.emplace(file, content->second);
    for (const auto& [file, content] : read)
        if (const auto before = all_.find(file); before != all_.end() && before->second != content) return file.second;
    all_.merge(read);
    return {};
}

}  // namespace heddle::app
