// SPDX-License-Identifier: Apache-2.0
#include "engine/train/loop/identity.h"

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/spec/data_files.h"
#include "engine/spec/field_schema.h"
#include "engine/spec/task_kinds.h"

#include <algorithm>
#include <iterator>

namespace heddle {
namespace {

using Hashes = std::vector<std::string>;

[[noreturn]] void throwUnknownTokenizers(const std::string& folder) {
    throwInvalid("the checkpoint does not record its tokenizers", folder + "/state.json", "use another checkpoint");
}

bool areTexts(const Json& list) {
    return list.is_array() && std::all_of(list.begin(), list.end(), [](const Json& entry) { return entry.is_string(); });
}

bool isHash(const std::string& text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string shortHash(const std::string& hash) { return hash.substr(0, 12) + "…"; }

std::string difference(const std::string& recorded, const std::string& now) {
    return "SHA-256 recorded " + shortHash(recorded) + ", found " + shortHash(now);
}

Json recordedHashes(const Json& identity) { return identity.is_object() ? identity.value("data_hashes", Json()) : Json(); }

/// "data.valid.source, /path/valid.en".
std::string fileOf(const std::string& setting, const Json& document) {
    const Json::json_pointer pointer = pointerOf(setting);
    return setting + (document.contains(pointer) ? ", " + document.at(pointer).get<std::string>() : "");
}

/// Whether the examples of a split come from the file of `setting`.
bool isReadFor(const std::string& split, const std::string& setting, const DataSpec& data) {
    const bool hasOwn = !(split == "valid" ? data.valid : data.test).empty();
    return setting == "data" || setting.starts_with("data." + (hasOwn ? split : "train") + ".");
}

constexpr const char* kNotTheRuns = "the data differ from those that the run was trained with";

std::string notTheRuns(const ChangedFile& file) { return std::string(kNotTheRuns) + " (" + file.text + ")"; }

}  // namespace

void throwOtherAnswers(const std::string& place, const std::string& next) {
    throwInvalid("the run was trained by an older version, in which answers were words instead of token offsets", place, next);
}

void requireSameAnswers(const Json& identity, const RunSpec& spec) {
    const bool isSpan = taskKind(spec.data.task).target == TaskKind::Target::Span;
    if (isSpan && !(identity.is_object() && identity.contains("classes_hash")))
        throwOtherAnswers("data.task span", "train it again");
}

RecordedFiles recordedFiles(const Json& identity, const std::string& folder) {
    const Json tokenizers = identity.is_object() ? identity.value("tokenizer_hashes", Json()) : Json();
    if (!areTexts(tokenizers) || (!tokenizers.empty() && tokenizers.size() != 2)) throwUnknownTokenizers(folder);
    RecordedFiles recorded{tokenizers.get<Hashes>(), ""};
    if (const auto classes = identity.find("classes_hash"); classes != identity.end() && classes->is_string())
        recorded.classes = classes->get<std::string>();
    const bool areHashes = std::all_of(recorded.tokenizers.begin(), recorded.tokenizers.end(), isHash);
    if (!areHashes || !(recorded.classes.empty() || isHash(recorded.classes))) throwUnknownTokenizers(folder);
    return recorded;
}

std::vector<ChangedFile> changedFiles(const Json& identity, const RunSpec& spec, const Hashes& dataHashes) {
    const Json recorded = recordedHashes(identity);
    if (!areTexts(recorded)) return {{"data", "the checkpoint does not record them"}};
    const auto before = recorded.get<Hashes>();
    const FileContents trained = fileContents(spec, before), now = fileContents(spec, dataHashes);
    const Json document = spec.toJson();
    std::vector<ChangedFile> changed;
    for (const auto& [setting, hash] : now)
        if (const auto known = trained.find(setting); known != trained.end() && known->second != hash)
            changed.push_back({setting, fileOf(setting, document) + ": " + difference(known->second, hash)});
    if (!changed.empty()) return changed;
    if (before.size() < dataHashes.size())
        return {{"data",
                 std::to_string(before.size()) + " files are recorded, but the spec has " + std::to_string(dataHashes.size())}};
    const auto [found, expected] = std::mismatch(dataHashes.begin(), dataHashes.end(), before.begin());
    if (found != dataHashes.end()) return {{"data", "a file of the spec: " + difference(*expected, *found)}};
    return {};
}

std::vector<std::string> requireOwnExamples(const Json& identity, const RunSpec& spec, const Hashes& dataHashes,
                                            const std::string& split) {
    std::vector<std::string> warnings;
    for (const ChangedFile& file : changedFiles(identity, spec, dataHashes)) {
        if (isReadFor(split, file.setting, spec.data))
            throwInvalid(std::string(kNotTheRuns) + ": the " + split + " examples have changed", file.text,
                         "restore the file, or evaluate the present one as other data: heddle evaluate --file FILE (parallel "
                         "text: --source FILE --target FILE)");
        warnings.push_back(notTheRuns(file));
    }
    return warnings;
}

void requireSameVectors(const Json& identity, const RunSpec& spec, const Hashes& vectorHashes) {
    if (vectorHashes.empty()) return;
    const Json recorded = recordedHashes(identity);
    const Hashes before = areTexts(recorded) ? recorded.get<Hashes>() : Hashes{};
    const std::string file = "data.vectors, " + spec.data.vectors;
    if (before.size() < vectorHashes.size())
        throwInvalid("the checkpoint does not record its word vectors", file, "use another checkpoint");
    const auto [found, expected] =
        std::mismatch(vectorHashes.begin(), vectorHashes.end(), before.end() - std::ssize(vectorHashes));
    if (found != vectorHashes.end())
        throwInvalid("the word vectors differ from those that the run was trained with",
                     file + ": " + difference(*expected, *found), "restore the file that the run was trained with");
}

void requireSameRun(const Json& identity, const Json& now, const RunSpec& spec, const std::string& folder) {
    requireSameAnswers(identity, spec);
    const auto recorded = [&](const char* key) { return identity.is_object() ? identity.value(key, Json()) : Json(); };
    if (recorded("variant_hash") != now.at("variant_hash"))
        throwInvalid("the variant of the run differs from that of the checkpoint", folder,
                     "resume with the spec that the run was trained with");
    const char* restore = "restore the files that the run was trained with, or start a new run";
    if (recorded("data_hashes") != now.at("data_hashes")) {
        const auto changed = changedFiles(identity, spec, now.at("data_hashes").get<Hashes>());
        throwInvalid(changed.empty() ? kNotTheRuns : notTheRuns(changed.front()), folder, restore);
    }
    if (recorded("tokenizer_hashes") != now.at("tokenizer_hashes"))
        throwInvalid("the tokenizers differ from those that the run was trained with", folder, restore);
}

bool isSameIdentity(const Json& identity, const Json& now) {
    const auto items = identity.items();
    return identity.is_object() && std::all_of(items.begin(), items.end(), [&](const auto& item) {
               const auto found = now.find(item.key());
               return found != now.end() && *found == item.value();
           });
}

}  // namespace heddle
