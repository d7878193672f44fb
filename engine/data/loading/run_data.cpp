// SPDX-License-Identifier: Apache-2.0
#include "engine/data/loading/run_data.h"

#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/sha256.h"
#include "engine/data/loading/task_loaders.h"
#include "engine/spec/cost.h"

#include <fmt/format.h>

#include <filesystem>

namespace heddle {
namespace {

constexpr const char* kClassesFile = "/classes.json";

std::string savedClasses(const RunData& data) { return canonicalJson(data.classes) + "\n"; }

/// Warns if more than one token in 20 is unknown, because the model is then scored on a different text.
void warnOfUnknownWords(RunData& data) {
    constexpr double kMost = 0.05;
    for (const TokenizerReport& report : data.reports)
        for (const TokenCounts& counts : report.texts) {
            if (counts.unknownRate() <= kMost) continue;
            const std::string where = counts.text + (report.side.empty() ? "" : ", " + report.side);
            const std::string remedy = report.kind == "words"
                                           ? "use data.tokenizer.kind wordpiece, sentencepiece or characters, or "
                                             "lower data.tokenizer.min_count"
                                           : "lower data.tokenizer.min_count, or choose another tokenizer";
            data.warnings.push_back(fmt::format("{}: {:.1f} % of the running words are unknown to the vocabulary (<unk>): {}",
                                                where, 100 * counts.unknownRate(), remedy));
        }
}

}  // namespace

std::string tokenizerFolderOf(const std::string& checkpointFolder) {
    return (std::filesystem::path(checkpointFolder).parent_path() / "tokenizer").string();
}

void saveClasses(const RunData& data, const std::string& folder) {
    const std::string path = folder + kClassesFile;
    if (data.classes.empty())
        std::filesystem::remove(path);  // of an earlier attempt
    else
        writeFileAtomically(path, savedClasses(data));
}

std::string classesHash(const RunData& data) { return data.classes.empty() ? "" : sha256Hex(savedClasses(data)); }

std::vector<std::string> loadClasses(const std::string& folder, const RecordedFiles& recorded) {
    const std::string path = folder + kClassesFile;
    if (recorded.classes.empty() && !std::filesystem::exists(path)) return {};
    try {
        return parseJson(readRecordedFile(path, recorded.classes), path).get<std::vector<std::string>>();
    } catch (const Json::exception&) {
        throwInvalid("is not a list of class names", path, "restore the file from a copy of the run");
    }
}

RunData loadRunData(const RunSpec& spec, const DataFolders& folders, const std::function<bool()>& stopRequested) {
    const TaskKind& task = taskKind(spec.data.task);
    const ResolvedVariant variant = spec.variant.resolve();
    const LoadContext context{spec, folders, stopRequested, longestSequence(variant)};
    RunData data = loaderOf(task)(context);
    warnOfUnknownWords(data);
    std::vector<std::string> once;  // both halves of a loader may say the same
    for (std::string& warning : data.warnings)
        if (!contains(once, warning)) once.push_back(std::move(warning));
    data.warnings = std::move(once);
    if (!folders.tokenizers.empty() && data.sourceTokenizer)
        data.notes.push_back(
            fmt::format("the tokenizers are those in {}, of the run that training starts from", folders.tokenizers));
    if (context.maxLen < variant.dims.maxLen)
        data.notes.push_back(
            fmt::format("a block of the model takes no more than {} tokens: that holds in place of dims.max_len, "
                        "{}, for the data and for decoding",
                        context.maxLen, variant.dims.maxLen));
    return data;
}

}  // namespace heddle
