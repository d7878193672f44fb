// SPDX-License-Identifier: Apache-2.0
#include "engine/train/loop/identity.h"

#include "engine/base/error.h"
#include "engine/spec/task_kinds.h"

#include <algorithm>

namespace heddle {
namespace {

using Hashes = std::vector<std::string>;

[[noreturn]] void throwUnknownTokenizers(const std::string& folder) {
    throwInvalid("the checkpoint does not name its tokenizers", folder + "/state.json", "use another checkpoint");
}

bool areTexts(const Json& list) {
    return list.is_array() && std::all_of(list.begin(), list.end(), [](const Json& entry) { return entry.is_string(); });
}

bool isHash(const std::string& text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// The files of the splits in the order of their hashes, followed by those of tokenizers.
Hashes splitFiles(const DataSpec& data) {
    Hashes files;
    for (const ParallelFiles* split : {&data.train, &data.valid, &data.test}) {
        if (!split->source.empty()) files.push_back(split->source);
        const bool hasTarget = taskKind(data.task).readsPairs();
        if (hasTarget && !split->target.empty()) files.push_back(split->target);
    }
    return files;
}

std::string shortHash(const std::string& hash) { return hash.substr(0, 12) + "…"; }

/// "train.en: recorded 0123…, found 4567…" for the first differing file.
std::string firstDifference(const Hashes& recorded, const Hashes& now, const DataSpec& data) {
    if (recorded.size() != now.size())
        return std::to_string(recorded.size()) + " files are recorded, there are " + std::to_string(now.size());
    const auto at =
        static_cast<std::size_t>(std::mismatch(recorded.begin(), recorded.end(), now.begin()).first - recorded.begin());
    const Hashes files = splitFiles(data);
    const std::string file = at < files.size() ? files[at] : "a tokenizer file of the spec";
    return file + ": SHA-256 recorded " + shortHash(recorded[at]) + ", found " + shortHash(now[at]);
}

}  // namespace

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

bool dataHaveChanged(const Json& identity, const Hashes& dataHashes) {
    const Json recorded = identity.is_object() ? identity.value("data_hashes", Json()) : Json();
    if (!areTexts(recorded)) return true;
    const auto before = recorded.get<Hashes>();
    return before.size() < dataHashes.size() || !std::equal(dataHashes.begin(), dataHashes.end(), before.begin());
}

void requireSameRun(const Json& identity, const Json& now, const RunSpec& spec, const std::string& folder) {
    const auto recorded = [&](const char* key) { return identity.is_object() ? identity.value(key, Json()) : Json(); };
    if (recorded("variant_hash") != now.at("variant_hash"))
        throwInvalid("the run's variant is not that of the checkpoint", folder,
                     "resume with the spec that the run was trained with");
    const char* restore = "restore the files that the run was trained with, or start a new run";
    if (const Json data = recorded("data_hashes"); data != now.at("data_hashes"))
        throwInvalid("the data are not those that the run was trained with" +
                         (areTexts(data)
                              ? " (" + firstDifference(data.get<Hashes>(), now.at("data_hashes").get<Hashes>(), spec.data) + ")"
                              : std::string()),
                     folder, restore);
    if (recorded("tokenizer_hashes") != now.at("tokenizer_hashes"))
        throwInvalid("the tokenizers are not those that the run was trained with", folder, restore);
}

bool isSameIdentity(const Json& identity, const Json& now) {
    const auto items = identity.items();
    return identity.is_object() && std::all_of(items.begin(), items.end(), [&](const auto& item) {
               const auto found = now.find(item.key());
               return found != now.end() && *found == item.value();
           });
}

}  // namespace heddle
