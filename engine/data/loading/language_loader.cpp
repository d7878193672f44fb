// SPDX-License-Identifier: Apache-2.0
// Tasks mlm, denoise and causal_lm: text for language models, in rows that are lines or blocks of the whole text. The text may
// be a file of tokens that another program wrote.
#include "engine/base/error.h"
#include "engine/data/batching/row_batches.h"
#include "engine/data/loading/row_encoder.h"
#include "engine/data/loading/task_loaders.h"
#include "engine/data/readers/token_shard.h"

#include <fmt/format.h>

#include <array>

namespace heddle {
namespace {

/// The first token of a block of running text.
enum class BlockBegin {
    LastToken,  ///< the last token of the block before: every token of the text is predicted exactly once
    Mark,       ///< <sos>, as every input of BERT begins with [CLS] (Devlin et al. 2019, section 3)
    EveryMark   ///< likewise, and every document in a block begins with <sos>, too
};

/// Cuts the text, each line ended by <eos>, into blocks of `size` tokens; the first begins with <sos> in any case.
class BlockPacker {
public:
    BlockPacker(std::int64_t size, BlockBegin begin) : size_(static_cast<std::size_t>(size)), begin_(begin) {}

    EncodedCorpus pack(const std::vector<Example>& examples, const Tokenizer& tokenizer) {
        return packed([&](EncodedCorpus& corpus) {
            for (const Example& example : examples) {
                for (const std::int32_t id : tokenizer.encode(example.first)) put(id, corpus);
                put(kEos, corpus);
            }
        });
    }

    /// Packs ids that already have an <eos> after each text.
    EncodedCorpus pack(const std::vector<std::int32_t>& ids) {
        return packed([&](EncodedCorpus& corpus) {
            for (const std::int32_t id : ids) put(id, corpus);
        });
    }

private:
    template <class PutAll>
    EncodedCorpus packed(const PutAll& putAll) {
        EncodedCorpus corpus;
        block_ = {kSos};
        putAll(corpus);
        if (block_.size() > 1) close(corpus);
        return corpus;
    }

    void put(std::int32_t id, EncodedCorpus& corpus) {
        if (begin_ == BlockBegin::EveryMark && block_.back() == kEos) {
            if (block_.size() + 1 < size_)
                block_.push_back(kSos);
            else
                close(corpus);  // the next block begins with the mark
        }
        block_.push_back(id);
        if (block_.size() == size_) close(corpus);
    }

    void close(EncodedCorpus& corpus) {
        corpus.source.insert(corpus.source.end(), block_.begin(), block_.end());
        corpus.sourceBegin.push_back(static_cast<std::int64_t>(corpus.source.size()));
        corpus.targetBegin.push_back(0);
        block_ = {begin_ == BlockBegin::LastToken ? block_.back() : kSos};
    }

    std::size_t size_;
    BlockBegin begin_;
    std::vector<std::int32_t> block_;
};

bool predictsNext(const LoadContext& context) { return context.task().target == TaskKind::Target::NextToken; }

/// The packer of the task. A row for next-token prediction is one token longer, since its last token is only predicted.
BlockPacker packerOf(const LoadContext& context) {
    if (predictsNext(context)) return {context.maxLen + 1, BlockBegin::LastToken};
    const bool areApart = documentsOf(context.spec.data) == Documents::Apart;
    return {context.maxLen, areApart ? BlockBegin::EveryMark : BlockBegin::Mark};
}

void requireMask(const LoadContext& context, const RunData& data) {
    if (context.task().target == TaskKind::Target::MaskedTokens && data.sourceTokenizer->maskId() < 0)
        throwInvalid("task mlm needs the token <mask>, which the tokenizer of the checkpoint lacks", "train.start.checkpoint",
                     "start from a run of task mlm, train from scratch, or use task denoise");
}

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
    requireMask(context, data);
    const auto encode = [&](const std::vector<Example>& examples, const std::string& name) {
        if (spec.packing == Packing::Lines) return encodeLines(context, examples, name, data);
        return packerOf(context).pack(examples, *data.sourceTokenizer);
    };
    data.train = encode(splits.train, "train");
    data.valid = encode(splits.valid, "valid");
    data.test = encode(splits.test, "test");
    return data;
}

/// Refuses settings about lines or words, which files of tokens do not have.
void requireTokenSettings(const DataSpec& spec, const DataFolders& folders) {
    const auto require = [&](bool holds, const char* path, const std::string& what, const char* next) {
        if (!holds) throwInvalid(what, path, next);
    };
    require(spec.packing != Packing::Lines, "data.packing", "tokens of a running text have no lines",
            "set data.packing to blocks, or to documents");
    require(!spec.train.source.empty(), "data.train.source", "no training data in the spec", "give a file of tokens");
    require(!folders.tokenizers.empty() || !spec.tokenizer.file.empty(), "data.tokenizer.file",
            "the file of tokens does not say which words they are",
            "give the tokenizer.json that made them (of GPT-2: that of openai-community/gpt2)");
    require(!spec.transductive, "data.transductive", "files of tokens cannot be read transductively", "leave it out");
    require(spec.minWords == 0 && spec.maxWords == 0, "data.min_words", "tokens of a running text have no lines of words",
            "leave min_words and max_words out");
    require(spec.validShare == 0 && spec.testShare == 0, "data.split", "no share is drawn out of a file of tokens",
            "give files for validation and test");
}

/// Our id of each number of the tokenizer's file; -1: the number has none.
std::vector<std::int32_t> idsByNumber(const Tokenizer& tokenizer) {
    std::vector<std::int32_t> ids;
    for (std::int32_t id = 0; id < static_cast<std::int32_t>(tokenizer.size()); ++id) {
        const std::int32_t number = tokenizer.publisherId(id);
        if (number < 0) continue;
        if (std::ssize(ids) <= number) ids.resize(static_cast<std::size_t>(number) + 1, -1);
        ids[static_cast<std::size_t>(number)] = id;
    }
    return ids;
}

EncodedCorpus packTokens(const LoadContext& context, const TokenShard& shard, const std::string& path,
                         const std::vector<std::int32_t>& idOf) {
    std::vector<std::int32_t> ids;
    ids.reserve(shard.tokens.size());
    for (const std::uint16_t number : shard.tokens) {
        const std::int32_t id = number < idOf.size() ? idOf[number] : -1;
        if (id < 0)
            throwInvalid(fmt::format("token {}, at position {}, is not in the vocabulary", number, ids.size()), path,
                         "give the tokenizer.json that made the file: data.tokenizer.file");
        ids.push_back(id);
    }
    return packerOf(context).pack(ids);
}

/// Reads the files of tokens, one for each split.
RunData loadTokens(const LoadContext& context) {
    const DataSpec& spec = context.spec.data;
    requireTokenSettings(spec, context.folders);
    struct Split {
        const char* name;
        const std::string& path;
        std::int64_t limit;
        EncodedCorpus RunData::*corpus;
        TokenShard shard = {};
    };
    std::array<Split, 3> splits{Split{"train", spec.train.source, spec.limit, &RunData::train},
                                Split{"valid", spec.valid.source, 0, &RunData::valid},
                                Split{"test", spec.test.source, 0, &RunData::test}};
    RunData data;
    for (Split& split : splits) {
        if (split.path.empty()) continue;
        split.shard = readTokenShard(split.path, spec.format, split.limit, context.stopRequested);
        data.dataHashes.push_back(split.shard.sha256);
        data.notes.push_back(fmt::format("{}: {}: {} tokens{}", split.name, split.path, split.shard.tokens.size(),
                                         split.limit > 0 ? " (data.limit)" : ""));
    }
    addTokenizers(context, {}, nullptr, data);
    requireMask(context, data);
    const std::vector<std::int32_t> idOf = idsByNumber(*data.sourceTokenizer);
    for (const Split& split : splits)
        if (!split.path.empty()) data.*split.corpus = packTokens(context, split.shard, split.path, idOf);
    return data;
}

}  // namespace

RunData loadLanguageData(const LoadContext& context) {
    return loadRows(context, [&] { return isTokenFormat(context.spec.data.format) ? loadTokens(context) : loadText(context); });
}

}  // namespace heddle
