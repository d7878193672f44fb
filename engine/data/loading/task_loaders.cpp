// SPDX-License-Identifier: Apache-2.0
#include "engine/data/loading/task_loaders.h"

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/sha256.h"
#include "engine/data/loading/prepare_tokenizers.h"
#include "engine/data/loading/run_data_cache.h"
#include "engine/data/readers/generated.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

// The one explicit list of loaders: LOADER(id of the task, Name), and the loader's file defines loadNameData().
#define HEDDLE_LOADERS(LOADER)         \
    LOADER("translation", Translation) \
    LOADER("mlm", Language)            \
    LOADER("denoise", Language)        \
    LOADER("causal_lm", Language)      \
    LOADER("classify", Class)          \
    LOADER("image", Image)             \
    LOADER("regress", Number)          \
    LOADER("tag", Tag)                 \
    LOADER("span", Span)

namespace heddle {

#define HEDDLE_DECLARE_LOADER(id, Name) RunData load##Name##Data(const LoadContext& context);
HEDDLE_LOADERS(HEDDLE_DECLARE_LOADER)

namespace {

/// Counts the tokens of encoded rows, without <sos> and <eos>.
TokenizerReport reportRows(const RunData& data) {
    TokenizerReport report = reportOf(*data.sourceTokenizer, "");
    const std::pair<const EncodedCorpus*, const char*> splits[] = {
        {&data.train, "train"}, {&data.valid, "valid"}, {&data.test, "test"}};
    for (const auto& [corpus, name] : splits) {
        if (corpus->size() == 0) continue;
        TokenCounter counter(*data.sourceTokenizer, name);
        for (std::size_t row = 0; row + 1 < corpus->sourceBegin.size(); ++row) {
            std::vector<std::int32_t> ids(corpus->source.begin() + corpus->sourceBegin[row],
                                          corpus->source.begin() + corpus->sourceBegin[row + 1]);
            std::erase_if(ids, [](std::int32_t id) { return id == kSos || id == kEos; });
            counter.add(ids);
        }
        report.texts.push_back(counter.counts());
    }
    return report;
}

}  // namespace

LoadTask loaderOf(const TaskKind& task) {
#define HEDDLE_LOADER_ENTRY(id, Name) {id, load##Name##Data},
    static const std::map<std::string, LoadTask> kLoaders{HEDDLE_LOADERS(HEDDLE_LOADER_ENTRY)};
    return kLoaders.at(task.id);
}

void throwOtherTask(const DataSpec& spec, const std::string& taskOfFormat) {
    throwInvalid(fmt::format("format {} belongs to task {}, not {}", spec.format, taskOfFormat, spec.task), "data.format",
                 fmt::format("set data.task to {}, or choose another format", taskOfFormat));
}

RunData loadRows(const LoadContext& context, const std::function<RunData()>& load) {
    const auto read = [&] {
        RunData data = load();
        data.reports.push_back(reportRows(data));
        return data;
    };
    return isGenerated(context.spec.data.format) ? read() : loadThroughCache(context, read);
}

std::vector<std::string> textsOf(const std::vector<Example>& examples) {
    std::vector<std::string> lines;
    for (const Example& example : examples) {
        lines.push_back(example.first);
        if (!example.second.empty()) lines.push_back(example.second);
        if (!example.words.empty()) lines.back() = fmt::format("{}", fmt::join(example.words, " "));
    }
    return lines;
}

void addTokenizers(const LoadContext& context, const std::vector<std::string>& source, const std::vector<std::string>* target,
                   RunData& data) {
    TrainingText text;
    text.key = sha256Hex(fmt::format("{}", fmt::join(source, "\n")));
    text.source = [&]() -> const std::vector<std::string>& { return source; };
    if (target != nullptr) {
        text.key = Json{text.key, sha256Hex(fmt::format("{}", fmt::join(*target, "\n")))};
        text.target = [target]() -> const std::vector<std::string>& { return *target; };
    }
    DataCache cache(context.folders.cache);
    const CancellationToken cancellation(context.stopRequested);
    const Tokenizers made = prepareTokenizers(context, text, cache, cancellation);
    data.sourceTokenizer = made.source;
    data.targetTokenizer = made.target;
    for (const auto* notes : {&cache.notes(), &made.notes}) data.notes.insert(data.notes.end(), notes->begin(), notes->end());
    data.dataHashes.insert(data.dataHashes.end(), made.fileHashes.begin(), made.fileHashes.end());
}

}  // namespace heddle
