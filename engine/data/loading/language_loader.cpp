// SPDX-License-Identifier: Apache-2.0
// Tasks mlm, denoise and causal_lm: text for language models, as rows of lines or blocks cut out of the whole text.
#include "engine/base/error.h"
#include "engine/data/loading/row_encoder.h"
#include "engine/data/loading/task_loaders.h"

#include <fmt/format.h>

namespace heddle {
namespace {

/// The first token of a block of running text.
enum class BlockBegin {
    LastToken,  ///< the last token of the block before: every token of the text is predicted exactly once
    Mark        ///< <sos>, as every input of BERT begins with [CLS] (Devlin et al. 2019, section 3)
};

/// Cuts the text, each line ended by <eos>, into blocks of `size` tokens; the first begins with <sos> either way.
class BlockPacker {
public:
    BlockPacker(const Tokenizer& tokenizer, std::int64_t size, BlockBegin begin)
        : tokenizer_(tokenizer), size_(static_cast<std::size_t>(size)), begin_(begin) {}

    EncodedCorpus pack(const std::vector<Example>& examples) {
        EncodedCorpus corpus;
        block_ = {kSos};
        for (const Example& example : examples) {
            for (const std::int32_t id : tokenizer_.encode(example.first)) put(id, corpus);
            put(kEos, corpus);
        }
        if (block_.size() > 1) close(corpus);
        return corpus;
    }

private:
    void put(std::int32_t id, EncodedCorpus& corpus) {
        block_.push_back(id);
        if (block_.size() == size_) close(corpus);
    }

    void close(EncodedCorpus& corpus) {
        corpus.source.insert(corpus.source.end(), block_.begin(), block_.end());
        corpus.sourceBegin.push_back(static_cast<std::int64_t>(corpus.source.size()));
        corpus.targetBegin.push_back(0);
        block_ = {begin_ == BlockBegin::Mark ? kSos : block_.back()};
    }

    const Tokenizer& tokenizer_;
    std::size_t size_;
    BlockBegin begin_;
    std::vector<std::int32_t> block_;
};

bool predictsNext(const LoadContext& context) { return context.task().target == TaskKind::Target::NextToken; }

/// Rows of lines for one split.
EncodedCorpus encodeLines(const LoadContext& context, const std::vector<Example>& examples, const std::string& name,
                          RunData& data) {
    RowEncoder encoder(*data.sourceTokenizer,
                       context.maxLen + (predictsNext(context) ? 1 : 0));  // the last token of a causal row is only predicted
    EncodedCorpus corpus;
    for (const Example& example : examples) encoder.add(corpus, example);
    if (encoder.cut() > 0)
        data.noteOrWarn(
            name, fmt::format("{}: {} of {} lines were cut to {} tokens (dims.max_len): what was cut off is not counted", name,
                              encoder.cut(), examples.size(), context.maxLen));
    return corpus;
}

RunData loadText(const LoadContext& context) {
    const DataSpec& spec = context.spec.data;
    RunData data;
    SplitExamples splits = readSplits(context, data);
    if (spec.transductive) {
        for (const auto* split : {&splits.valid, &splits.test})
            splits.train.insert(splits.train.end(), split->begin(), split->end());
        data.notes.emplace_back("transductive: the inputs of valid and test are training text too (data.transductive)");
    }
    addTokenizers(context, textsOf(splits.train), nullptr, data);
    if (context.task().target == TaskKind::Target::MaskedTokens && data.sourceTokenizer->maskId() < 0)
        throwInvalid("task mlm needs the token <mask>, which the tokenizer of the checkpoint lacks", "train.start.checkpoint",
                     "start from a run of task mlm, train from scratch, or use task denoise");
    const auto encode = [&](const std::vector<Example>& examples, const std::string& name) {
        if (spec.packing == Packing::Lines) return encodeLines(context, examples, name, data);
        if (!predictsNext(context)) return BlockPacker(*data.sourceTokenizer, context.maxLen, BlockBegin::Mark).pack(examples);
        // A row's last token is predicted, never read.
        return BlockPacker(*data.sourceTokenizer, context.maxLen + 1, BlockBegin::LastToken).pack(examples);
    };
    data.train = encode(splits.train, "train");
    data.valid = encode(splits.valid, "valid");
    data.test = encode(splits.test, "test");
    return data;
}

}  // namespace

RunData loadLanguageData(const LoadContext& context) {
    return loadRows(context, [&] { return loadText(context); });
}

}  // namespace heddle
