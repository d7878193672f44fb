// SPDX-License-Identifier: Apache-2.0
#include "engine/data/loading/run_data.h"

#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json.h"
#include "engine/base/links.h"
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
            const std::string remedy = report.kind == wordOf(TokenizerKind::Words)
                                           ? "use data.tokenizer.kind wordpiece, sentencepiece or characters, or "
                                             "lower data.tokenizer.min_count"
                                           : "lower data.tokenizer.min_count, or choose another tokenizer";
            data.warnings.push_back(
                {counts.text, fmt::format("{}: {:.1f} % of the running words are unknown to the vocabulary (<unk>): {}", where,
                                          100 * counts.unknownRate(), remedy)});
        }
}

/// "run 3f2a…, step-10 (weights SHA-256 0123…)": true wherever the run is copied, as a path is not.
std::string startName(const StartSpec& start) {
    const std::filesystem::path given = start.checkpoint;
    const std::string sha256 =
        start.weightsSha256.empty() ? "" : fmt::format(" (weights SHA-256 {:.12}…)", start.weightsSha256);
    return fmt::format("run {}, {}{}", given.parent_path().filename().string(), given.filename().string(), sha256);
}

}  // namespace

std::vector<std::string> warningTexts(const std::vector<SplitWarning>& warnings) {
    std::vector<std::string> texts;
    for (const SplitWarning& warning : warnings) texts.push_back(warning.text);
    return texts;
}

void to_json(Json& document, const SplitWarning& warning) { document = {{"split", warning.split}, {"text", warning.text}}; }

void from_json(const Json& document, SplitWarning& warning) {
    document.at("split").get_to(warning.split);
    document.at("text").get_to(warning.text);
}

void RunData::noteOrWarn(const std::string& split, std::string text) {
    if (split == "train")
        notes.push_back(std::move(text));
    else
        warnings.push_back({split, std::move(text)});
}

std::string tokenizerFolderOf(const std::string& checkpointFolder) {
    return (std::filesystem::path(checkpointFolder).parent_path() / "tokenizer").string();
}

void requireNoLinkedVocabulary(const std::string& folder) {
    const std::filesystem::path path = folder;
    for (const char* name : {"source", "target", "classes"})
        for (const char* extension : {".json", ".model"})
            requireNoLink(path.parent_path().string(), (path.filename() / (std::string(name) + extension)).string());
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
    requireNoLinkedVocabulary(folder);
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
    std::vector<SplitWarning> once;  // both halves of a loader may say the same
    for (SplitWarning& warning : data.warnings)
        if (!contains(once, warning)) once.push_back(std::move(warning));
    data.warnings = std::move(once);
    const std::string& start = spec.train.start.checkpoint;
    const bool startsFromRun = !start.empty() && !std::filesystem::is_regular_file(start);  // a published file has no run
    if (!folders.tokenizers.empty() && data.sourceTokenizer && startsFromRun)
        data.notes.push_back("the tokenizers are those of " + startName(spec.train.start) + ", from which training starts");
    if (context.maxLen < variant.dims.maxLen)
        data.notes.push_back(
            fmt::format("a block of the model takes no more than {} tokens: that holds in place of dims.max_len, "
                        "{}, for the data and for decoding",
                        context.maxLen, variant.dims.maxLen));
    return data;
}

}  // namespace heddle
