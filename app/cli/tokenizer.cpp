// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokenizers/tokenizer.h"
#include "app/cli/commands.h"
#include "app/cli/input_lines.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/base/suggestion.h"
#include "engine/data/readers/text_file.h"
#include "engine/data/tokenizers/tokenizer_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <sstream>

namespace heddle::app {
namespace {

struct TokenizerOptions {
    std::vector<std::string> files;
    TokenizerSpec spec;
    std::string kind = "auto", split = "whitespace", model = "unigram";
    std::optional<std::int64_t> minCount, vocabSize;
    std::string file, text;
    bool ids = false, publisherIds = false, stats = false;
};

template <class Enum>
Enum chosenFrom(const std::string& word, const std::string& option) {
    if (const auto named = choiceNamed<Enum>(word)) return *named;
    throwUsage("unknown value \"" + word + "\"", option, suggestion(word, wordsOf<Enum>()));
}

/// Loads the file, or the file that train wrote under this name with the kind's suffix.
std::shared_ptr<const Tokenizer> load(const TokenizerOptions& o) {
    const std::filesystem::path path = o.file;
    if (std::filesystem::is_regular_file(path)) return readTokenizer(o.file, o.spec);
    const auto folder = path.parent_path();
    return loadTokenizer(folder.empty() ? "." : folder.string(), path.stem().string());
}

/// Folder and name for saving: a file's name without suffix, or "tokenizer" in a folder.
std::pair<std::filesystem::path, std::string> destination(const std::string& out) {
    const std::filesystem::path path = out;
    if (path.filename().empty() || std::filesystem::is_directory(path)) return {path, "tokenizer"};
    return {path.parent_path().empty() ? std::filesystem::path(".") : path.parent_path(), path.stem().string()};
}

int train(TokenizerOptions o, const Context& context) {
    if (o.minCount) o.spec.minCount = *o.minCount;
    if (o.vocabSize) o.spec.vocabSize = *o.vocabSize;
    o.spec.kind = chosenFrom<TokenizerKind>(o.kind, "--kind");
    o.spec.split = chosenFrom<WordSplit>(o.split, "--split");
    o.spec.model = chosenFrom<PieceModel>(o.model, "--model");
    std::vector<std::string> lines;
    for (const auto& file : o.files) {
        auto text = readTextFile(file);
        lines.insert(lines.end(), std::make_move_iterator(text.lines.begin()), std::make_move_iterator(text.lines.end()));
    }
    const auto tokenizer = trainTokenizer(lines, o.spec);
    TokenCounter counter(*tokenizer, "training text");
    for (const std::string& line : lines) counter.add(tokenizer->encode(line));
    TokenizerReport report = reportOf(*tokenizer, "");
    report.texts.push_back(counter.counts());

    const auto [folder, name] = destination(o.file);
    std::filesystem::create_directories(folder);
    tokenizer->save(folder.string(), name);
    const std::string written = (folder / (name + (o.spec.kind == TokenizerKind::SentencePiece ? ".model" : ".json"))).string();
    context.print({{"schema", "heddle.tokenizer/1"},
                   {"file", written},
                   {"kind", wordOf(tokenizer->spec().kind)},
                   {"size", tokenizer->size()},
                   {"hash", tokenizer->hash()},
                   {"report", report.json()}},
                  fmt::format("{}: {} tokens, {}\n{}\n", written, tokenizer->size(), tokenizer->hash(), report.line()));
    return 0;
}

std::vector<std::int32_t> idsOf(const std::string& line) {
    std::istringstream in(line);
    std::vector<std::int32_t> ids;
    for (std::string word; in >> word;) {
        try {
            std::size_t used = 0;
            ids.push_back(std::stoi(word, &used));
            if (used != word.size()) throw std::invalid_argument(word);
        } catch (const std::logic_error&) {
            throwInvalid(fmt::format("\"{}\" is not a token id", printable(word)), "input",
                         "use the numbers that encode --ids prints");
        }
    }
    return ids;
}

/// Tokens separated by spaces; a space token (kind characters) is shown as ▁.
std::string shown(std::vector<std::string> tokens) {
    std::replace(tokens.begin(), tokens.end(), std::string(" "), std::string("▁"));
    return fmt::format("{}", fmt::join(tokens, " "));
}

std::vector<std::int32_t> publisherIds(const Tokenizer& tokenizer, std::vector<std::int32_t> ids) {
    for (std::int32_t& id : ids) id = tokenizer.publisherId(id);
    return ids;
}

int stats(const TokenizerOptions& o, const Tokenizer& tokenizer, const Context& context) {
    TokenCounter counter(tokenizer, "input");
    forEachLine(context, o.text, [&](const std::string& line) { counter.add(tokenizer.encode(line)); });
    TokenizerReport report = reportOf(tokenizer, "");
    report.texts.push_back(counter.counts());
    context.print({{"schema", "heddle.tokens/1"}, {"report", report.json()}}, report.line() + "\n");
    return 0;
}

int encode(const TokenizerOptions& o, const Context& context) {
    const auto tokenizer = load(o);
    if (o.stats) return stats(o, *tokenizer, context);
    Json lines = Json::array();
    forEachLine(context, o.text, [&](const std::string& line) {
        const auto ids = tokenizer->encode(line);
        if (context.json)
            lines.push_back(
                {{"ids", ids}, {"publisher_ids", publisherIds(*tokenizer, ids)}, {"tokens", tokenizer->tokens(line)}});
        else if (o.ids || o.publisherIds)
            context.out << fmt::format("{}\n", fmt::join(o.publisherIds ? publisherIds(*tokenizer, ids) : ids, " "));
        else
            context.lines << shown(tokenizer->tokens(line)) << "\n";
    });
    if (context.json) context.print({{"schema", "heddle.encoded/1"}, {"lines", lines}});
    return 0;
}

int decode(const TokenizerOptions& o, const Context& context) {
    const auto tokenizer = load(o);
    Json lines = Json::array();
    forEachLine(context, o.text, [&](const std::string& line) {
        const auto ids = idsOf(line);
        for (const auto id : ids)
            if (id < 0 || id >= tokenizer->size())
                throwInvalid(fmt::format("token id {} is out of range", id), o.file,
                             fmt::format("ids are 0 to {}", tokenizer->size() - 1));
        if (context.json)
            lines.push_back(tokenizer->decode(ids));
        else
            context.lines << tokenizer->decode(ids) << "\n";
    });
    if (context.json) context.print({{"schema", "heddle.decoded/1"}, {"lines", lines}});
    return 0;
}

constexpr const char* kFileHelp =
    "What tokenizer train saved, a run's tokenizer/source.json, a SentencePiece model, a vocab.txt or a tokenizer.json";

void addTrain(CommandBuilder& tokenizer, const std::shared_ptr<TokenizerOptions>& o) {
    tokenizer.command("train", "Train a tokenizer on text files")
        .positionals("FILE", o->files, "Text files, plain or .gz")
        .option("--out", o->file, "FILE",
                "Where to save it, a name or a folder; the suffix is .model for sentencepiece, .json for the others")
        .required("--out")
        .option("--kind", o->kind, "KIND",
                "words, characters, wordpiece or sentencepiece (default auto: words, or characters in a text without spaces)")
        .option("--split", o->split, "SPLIT", "words: whitespace (default) or 13a")
        .flag("--lower", o->spec.lower, "Lower-case the text; wordpiece strips accents too")
        .option("--min-count", o->minCount, "N",
                "words, characters: rarer ones become <unk>; wordpiece: rarer pairs are not joined (default 2)")
        .option("--model", o->model, "MODEL", "sentencepiece: unigram (default) or bpe")
        .option("--vocab-size", o->vocabSize, "N", "sentencepiece, wordpiece: number of pieces (default 8000)")
        .flag("--mask", o->spec.mask, "Add a <mask>, for masked language modelling (wordpiece always has it)")
        .examples(
            "heddle tokenizer train train.en.gz --out en.json --lower\n"
            "heddle tokenizer train titles.txt --kind characters --out zh.json\n"
            "heddle tokenizer train train.en train.de --kind wordpiece --vocab-size 8000 --lower --out pieces/\n"
            "heddle tokenizer train train.en train.de --kind sentencepiece --vocab-size 4000 --out joint.model")
        .action([o](Context& context) { return train(*o, context); });
}

void addEncode(CommandBuilder& tokenizer, const std::shared_ptr<TokenizerOptions>& o) {
    tokenizer.command("encode", "Print the tokens of each line")
        .option("--tokenizer", o->file, "FILE", kFileHelp)
        .required("--tokenizer")
        .flag("--ids", o->ids, "Print numbers instead of tokens")
        .flag("--publisher-ids", o->publisherIds,
              "Print the numbers that a vocab.txt, SentencePiece model or tokenizer.json itself has")
        .flag("--stats", o->stats, "Print how many tokens there are, and how many of them are known, in place of the tokens")
        .flag("--lower", o->spec.lower, "vocab.txt, SentencePiece model: lower-case the text (an uncased vocabulary)")
        .text(o->text, "A sentence")
        .examples(
            "heddle tokenizer encode --tokenizer en.json 'a man sleeps'\n"
            "heddle tokenizer encode --tokenizer en.json --stats < test.en\n"
            "heddle tokenizer encode --tokenizer bert-base-uncased/vocab.txt --lower --publisher-ids 'A man sleeps.'")
        .action([o](Context& context) { return encode(*o, context); });
}

}  // namespace

void addTokenizer(CommandBuilder& root) {
    CommandBuilder tokenizer = root.command("tokenizer", "Vocabularies, WordPiece and SentencePiece models, tokenizer.json");
    auto o = std::make_shared<TokenizerOptions>();
    addTrain(tokenizer, o);
    addEncode(tokenizer, o);
    tokenizer.command("decode", "Turn numbers back into text")
        .option("--tokenizer", o->file, "FILE", kFileHelp)
        .required("--tokenizer")
        .positional("IDS", o->text, "Numbers; without them, or for -, lines of standard input", CommandBuilder::Need::Optional)
        .examples("heddle tokenizer decode --tokenizer en.json '17 4 250'")
        .action([o](Context& context) { return decode(*o, context); });
}

}  // namespace heddle::app
