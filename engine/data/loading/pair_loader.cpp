// SPDX-License-Identifier: Apache-2.0
// Sentence pairs: in files as they are trained on (translation_loader.h), or generated, split off by a share, filtered by
// length.
#include "engine/base/error.h"
#include "engine/data/loading/corpus_encoder.h"
#include "engine/data/loading/run_data_cache.h"
#include "engine/data/loading/task_loaders.h"
#include "engine/data/loading/translation_loader.h"
#include "engine/data/readers/generated.h"

#include <fmt/format.h>

namespace heddle {
namespace {

ParallelText textOf(const std::vector<Example>& pairs) {
    ParallelText text;
    for (const Example& pair : pairs) {
        text.source.push_back(pair.first);
        text.target.push_back(pair.second);
    }
    return text;
}

/// Encodes a split whose translations will be compared with its texts, and keeps the texts.
EncodedCorpus encodeKeepingText(CorpusEncoder& encoder, ParallelText text, const std::string& name) {
    EncodedCorpus corpus = encoder.evaluation(text, name);
    corpus.sourceText = std::move(text.source);
    corpus.targetText = std::move(text.target);
    return corpus;
}

/// Loads pairs that are generated, split by a share or filtered by length.
RunData loadPairs(const LoadContext& context) {
    const DataSpec& spec = context.spec.data;
    if (isGenerated(spec.format))
        if (const std::string& task = generatedFormat(spec.format).task; task != spec.task) throwOtherTask(spec, task);
    RunData data;
    const SplitExamples splits = readSplits(context, data);
    const ParallelText train = textOf(splits.train);
    addTokenizers(context, train.source, &train.target, data);
    CancellationToken cancellation(context.stopRequested);
    CorpusEncoder encoder(context, data, cancellation);
    data.train = encoder.train(train);
    data.valid = encodeKeepingText(encoder, textOf(splits.valid), "valid");
    data.test = encodeKeepingText(encoder, textOf(splits.test), "test");
    data.notes.insert(data.notes.end(), encoder.notes().begin(), encoder.notes().end());
    data.warnings.insert(data.warnings.end(), encoder.warnings().begin(), encoder.warnings().end());
    data.reports = encoder.reports();
    return data;
}

bool hasWordLimits(const DataSpec& spec) { return spec.minWords > 0 || spec.maxWords > 0; }

}  // namespace

/// Pairs whose files are used unchanged have a cache of their own: with it, training does not read their text.
RunData loadTranslationData(const LoadContext& context) {
    const DataSpec& spec = context.spec.data;
    if (isGenerated(spec.format)) return loadPairs(context);
    if (spec.format != "lines")
        throwInvalid(fmt::format("unsupported format \"{}\" for task translation", spec.format), "data.format",
                     "set it to lines (two files, one sentence per line) or to a generated format");
    if (spec.validShare > 0 || spec.testShare > 0 || hasWordLimits(spec))
        return loadThroughCache(context, [&] { return loadPairs(context); });
    return loadTranslation(context);
}

}  // namespace heddle
