// SPDX-License-Identifier: Apache-2.0
#include "engine/data/loading/prepare_tokenizers.h"

#include "engine/base/json.h"
#include "engine/base/sha256.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {
namespace {

/// Increment when equal specs and lines no longer give equal tokenizers.
constexpr int kTokenizerFormat = 2;

/// What training depends on, besides the lines.
Json describe(const TokenizerSpec& spec) {
    Json description{{"kind", wordOf(spec.kind)}, {"lower", spec.lower}, {"mask", spec.mask}};
    if (spec.kind == TokenizerKind::Words || spec.kind == TokenizerKind::Auto) description["split"] = wordOf(spec.split);
    if (spec.kind == TokenizerKind::SentencePiece) description["model"] = wordOf(spec.model);
    if (spec.kind != TokenizerKind::SentencePiece) description["min_count"] = spec.minCount;
    if (spec.kind == TokenizerKind::SentencePiece || spec.kind == TokenizerKind::WordPiece)
        description["vocab_size"] = spec.vocabSize;
    return description;
}

bool isGiven(const TokenizerSpec& spec) { return !givenFile(spec).empty(); }

std::vector<std::string> both(const TrainingText& text) {
    std::vector<std::string> lines = text.source();
    if (text.target) lines.insert(lines.end(), text.target().begin(), text.target().end());
    return lines;
}

/// Notes a vocabulary without capitals, for which names in text with capitals are unknown.
void noteMissingCapitals(const Tokenizer& tokenizer, const std::string& file, std::vector<std::string>& notes) {
    const TokenizerSpec spec = tokenizer.spec();
    if (spec.kind != TokenizerKind::WordPiece || spec.lower) return;
    const auto isCapital = [](char c) { return c >= 'A' && c <= 'Z'; };
    for (std::int64_t id = tokenizer.specials(); id < tokenizer.size(); ++id) {
        const std::string token = tokenizer.token(static_cast<std::int32_t>(id));
        if (std::any_of(token.begin(), token.end(), isCapital)) return;
    }
    notes.push_back(fmt::format("{}: no entry has a capital letter; for an uncased vocabulary set data.tokenizer.lower", file));
}

class Preparation {
public:
    Preparation(const TokenizerSpec& spec, const TrainingText& text, const CancellationToken& cancellation)
        : source_(spec),
          target_(spec.forTarget()),
          text_(text),
          cancellation_(cancellation),
          one_(spec.shared || !text.target) {}

    Tokenizers run(DataCache& cache) {
        Tokenizers made;
        CacheSections trained;
        if (!isGiven(source_) || (!one_ && !isGiven(target_)))
            trained = cache.getOrMake("tokenizer", key(), [&] { return train(); });
        made.source = side(source_, "source", trained, made);
        made.target = one_ ? made.source : side(target_, "target", trained, made);
        return made;
    }

private:
    Json key() const {
        Json key{{"format", kTokenizerFormat}, {"data", text_.key}, {"one", one_}};
        if (!isGiven(source_)) key["source"] = describe(source_);
        if (!one_ && !isGiven(target_)) key["target"] = describe(target_);
        return key;
    }

    CacheSections train() const {
        CacheSections sections;
        if (!isGiven(source_)) sections["source"] = trainTokenizer(one_ ? both(text_) : text_.source(), source_)->saved();
        cancellation_.check();
        if (!one_ && !isGiven(target_)) sections["target"] = trainTokenizer(text_.target(), target_)->saved();
        return sections;
    }

    static std::shared_ptr<const Tokenizer> side(const TokenizerSpec& spec, const std::string& name,
                                                 const CacheSections& trained, Tokenizers& made) {
        const std::string& file = givenFile(spec);
        if (file.empty()) {
            auto tokenizer = tokenizerFromSaved(trained.at(name), fmt::format("cached {} tokenizer", name));
            if (spec.kind == TokenizerKind::Auto && tokenizer->spec().kind == TokenizerKind::Characters)
                made.notes.push_back(
                    fmt::format("{} tokenizer: characters, because the training text has no spaces between "
                                "words (data.tokenizer.kind auto)",
                                name));
            return tokenizer;
        }
        auto tokenizer = readTokenizer(file, spec);
        made.fileHashes.push_back(sha256OfFile(file));
        noteMissingCapitals(*tokenizer, file, made.notes);
        return tokenizer;
    }

    const TokenizerSpec source_, target_;
    const TrainingText& text_;
    const CancellationToken& cancellation_;
    bool one_;  ///< one tokenizer for everything
};

}  // namespace

Tokenizers prepareTokenizers(const LoadContext& context, const TrainingText& text, DataCache& cache,
                             const CancellationToken& cancellation) {
    if (!context.folders.tokenizers.empty()) {
        auto [source, target] = loadTokenizers(context.folders.tokenizers, context.folders.recorded);
        return {std::move(source), std::move(target), {}, {}};
    }
    TokenizerSpec spec = context.spec.data.tokenizer;
    spec.mask = spec.mask || context.task().target == TaskKind::Target::MaskedTokens;
    return Preparation(spec, text, cancellation).run(cache);
}

}  // namespace heddle
