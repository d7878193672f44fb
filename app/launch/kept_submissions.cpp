// SPDX-License-Identifier: Apache-2.0
#include "app/launch/kept_submissions.h"

#include "app/study/study_progress.h"
#include "engine/base/files.h"
#include "engine/base/json.h"
#include "engine/base/json_member.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <utility>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;

constexpr const char *kGoesOn = "goes_on", *kAnew = "remove it from the list, and submit it anew";
/// In keys, and in the names of their files.
constexpr std::pair<const char*, const char*> kEscapes[] = {{"%", "%25"}, {"/", "%2F"}};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, what.size(), by);
    return text;
}

std::string fileNameOf(std::string key) {
    for (const auto& [plain, escaped] : kEscapes) key = replaced(std::move(key), plain, escaped);
    return key;
}

std::string keyOf(std::string fileName) {
    std::for_each(std::rbegin(kEscapes), std::rend(kEscapes),
                  [&](const auto& escape) { fileName = replaced(std::move(fileName), escape.second, escape.first); });
    return fileName;
}

Json optionsDocument(const SlurmOptions& options) {
    return {{"schema", "heddle.slurm-options/1"},
            {"partition", options.partition},
            {"gres", options.gres},
            {"time", options.time},
            {"array_limit", options.arrayLimit.value_or(0)},
            {"more", options.more},
            {"scratch", options.scratch}};
}

Json readRecord(const std::string& file) {
    Json document = readJsonFile(file);
    if (!document.is_object()) throwInvalid("no record of options for Slurm", file, kAnew);
    return document;
}

void writeRecord(const std::string& file, const Json& document) { writeFileAtomically(file, document.dump(2) + "\n"); }

/// The names of the JSON files of a folder, sorted, without their extension.
std::vector<std::string> namesIn(const std::string& folder) {
    std::vector<std::string> names;
    if (!fs::exists(folder)) return names;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

std::vector<std::string> KeptSubmissions::names() const {
    std::vector<std::string> names = namesIn(folder_ + "/plans");
    for (const std::string& file : namesIn(folder_ + "/studies")) names.push_back(groupOfStudy(keyOf(file), false));
    return names;
}

bool KeptSubmissions::hasPlan(const std::string& name) const { return fs::exists(planOf(name)); }

std::string KeptSubmissions::recordOf(const std::string& name) const {
    const std::string key = studyOfGroup(name);
    return key.empty() ? folder_ + "/options/" + name + ".json" : folder_ + "/studies/" + fileNameOf(key) + ".json";
}

void KeptSubmissions::keepPlan(const std::string& name, const std::vector<PlanRow>& rows, const SlurmOptions& options) const {
    writeRecord(recordOf(name), optionsDocument(options));
    writeRecord(planOf(name), Plan{rows}.toJson());
}

void KeptSubmissions::keepStudy(const std::string& key, const SlurmOptions& options) const {
    Json document = optionsDocument(options);
    document[kGoesOn] = true;
    writeRecord(recordOf(groupOfStudy(key, false)), document);
}

SlurmOptions KeptSubmissions::optionsOf(const std::string& name) const {
    const std::string file = recordOf(name);
    const Json document = readRecord(file);
    const auto read = [&](const char* key, auto otherwise) {
        return memberOr(document, key, std::move(otherwise), "the record", file, kAnew);
    };
    SlurmOptions options;
    options.partition = read("partition", std::string());
    options.gres = read("gres", std::string());
    options.time = read("time", std::string());
    if (const auto limit = read("array_limit", std::int64_t{0}); limit > 0) options.arrayLimit = limit;
    options.more = read("more", std::vector<std::string>());
    options.scratch = read("scratch", std::string());
    return options;
}

bool KeptSubmissions::goesOn(const std::string& name) const {
    const std::string file = recordOf(name);
    return fs::exists(file) && memberOr(readRecord(file), kGoesOn, false, "the record", file, kAnew);
}

void KeptSubmissions::pause(const std::string& name) const {
    if (!goesOn(name)) return;
    Json document = readRecord(recordOf(name));
    document[kGoesOn] = false;
    writeRecord(recordOf(name), document);
}

void KeptSubmissions::remove(const std::string& name) const {
    if (studyOfGroup(name).empty()) fs::remove(planOf(name));
    fs::remove(recordOf(name));
}

}  // namespace heddle::app
