// SPDX-License-Identifier: Apache-2.0
// Sentence pairs that do not lie in files as they are trained on: generated, split off by a share, or filtered by length.
#include "engine/data/loading/corpus_encoder.h"
#include "engine/data/loading/run_data.h"
#include "engine/data/readers/generated.h"

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

/// Encodes a split that is decoded and compared: its texts stay.
EncodedCorpus encodeKeepingText(CorpusEncoder& encoder, ParallelText text, const std::string& name) {
    EncodedCorpus corpus = encoder.evaluation(text, name);
    corpus.sourceText = std::move(text.source);
    corpus.targetText = std::move(text.target);
    return corpus;
}

}  // namespace

RunData loadPairData(const LoadContext& context) {
    const DataSpec& spec = context.spec.data;
    if (isGenerated(spec.format)) requireTask(spec, generatedFormat(spec.format).task);
    RunData data;
    const SplitExamples splits = readSplits(context, data);
    const ParallelText train = textOf(splits.train);
    addTokenizers(context, train.source, &train.target, data);
    LoadOptions options;
    options.maxLen = context.maxLen;
    options.maxTokens = spec.maxTokens;
    CancellationToken cancellation(context.stopRequested);
    CorpusEncoder encoder(options, *data.sourceTokenizer, *data.targetTokenizer, cancellation);
    data.train = encoder.train(train);
    data.valid = encodeKeepingText(encoder, textOf(splits.valid), "valid");
    data.test = encodeKeepingText(encoder, textOf(splits.test), "test");
    data.notes.insert(data.notes.end(), encoder.notes().begin(), encoder.notes().end());
    data.warnings.insert(data.warnings.end(), encoder.warnings().begin(), encoder.warnings().end());
    data.reports = encoder.reports();
    return data;
}

}  // namespace heddle
