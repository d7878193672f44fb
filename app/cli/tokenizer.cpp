// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokenizer.h"
#include "app/cli/commands.h"
#include "app/cli/input_lines.h"
#include "engine/data/text_file.h"
#include "engine/spec/error.h"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>
#include <sstream>

namespace heddle::app {
namespace {

struct TokenizerOptions {
    std::vector<std::string> files;
    TokenizerSpec spec;
    std::optional<std::int64_t> minCount, vocabSize;
    std::string file, text;
    bool ids = false;
};

/// Tokenizers are saved as FOLDER/NAME.json or FOLDER/NAME.model; the command line names the file.
std::shared_ptr<const Tokenizer> load(const std::string& file) {
    const std::filesystem::path path = file;
    const auto folder = path.parent_path();
    return loadTokenizer(folder.empty() ? "." : folder.string(), path.stem().string());
}

int train(TokenizerOptions o, const Context& context) {
    if (o.minCount) o.spec.minCount = *o.minCount;
    if (o.vocabSize) o.spec.vocabSize = *o.vocabSize;
    if (o.spec.kind != "words" && o.spec.kind != "sentencepiece")
        throw Error(ErrorCode::Usage, "unknown kind \"" + o.spec.kind + "\"", "--kind", "words or sentencepiece");
    std::vector<std::string> lines;
    for (const auto& file : o.files) {
        auto text = readTextFile(file);
        lines.insert(lines.end(), std::make_move_iterator(text.lines.begin()), std::make_move_iterator(text.lines.end()));
    }
    const auto tokenizer = trainTokenizer(lines, o.spec);
    const std::filesystem::path out = o.file;
    const auto folder = out.parent_path().empty() ? std::filesystem::path(".") : out.parent_path();
    std::filesystem::create_directories(folder);
    tokenizer->save(folder.string(), out.stem().string());
    const std::string written = (folder / (out.stem().string() + (o.spec.kind == "words" ? ".json" : ".model"))).string();
    if (context.json)
        context.print({{"schema", "heddle.tokenizer/1"},
                       {"file", written},
                       {"kind", o.spec.kind},
                       {"size", tokenizer->size()},
                       {"hash", tokenizer->hash()}});
    else
        context.out << fmt::format("{}: {} tokens, {}\n", written, tokenizer->size(), tokenizer->hash());
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
            throwInvalid(fmt::format("\"{}\" is no token id", plain(word)), "input",
                         "decode takes the numbers that encode --ids prints");
        }
    }
    return ids;
}

int encode(const TokenizerOptions& o, const Context& context) {
    const auto tokenizer = load(o.file);
    Json lines = Json::array();
    forEachLine(context, o.text, [&](const std::string& line) {
        const auto ids = tokenizer->encode(line);
        if (context.json)
            lines.push_back({{"ids", ids}, {"tokens", tokenizer->tokens(line)}});
        else if (o.ids)
            context.out << fmt::format("{}\n", fmt::join(ids, " "));
        else
            context.out << fmt::format("{}\n", fmt::join(tokenizer->tokens(line), " "));
    });
    if (context.json) context.print({{"schema", "heddle.encoded/1"}, {"lines", lines}});
    return 0;
}

int decode(const TokenizerOptions& o, const Context& context) {
    const auto tokenizer = load(o.file);
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
            context.out << tokenizer->decode(ids) << "\n";
    });
    if (context.json) context.print({{"schema", "heddle.decoded/1"}, {"lines", lines}});
    return 0;
}

}  // namespace

void addTokenizer(CommandBuilder& root) {
    CommandBuilder tokenizer = root.command("tokenizer", "Vocabularies and SentencePiece models");
    auto o = std::make_shared<TokenizerOptions>();
    tokenizer.command("train", "Train a tokenizer on text files")
        .positionals("FILE", o->files, "Text files, plain or .gz")
        .option("--out", o->file, "FILE", "Where to save it; the suffix is .json for words, .model for sentencepiece")
        .required("--out")
        .option("--kind", o->spec.kind, "KIND", "words (default) or sentencepiece")
        .option("--split", o->spec.split, "SPLIT", "words: whitespace (default) or 13a")
        .flag("--lower", o->spec.lower, "Lower-case the text")
        .option("--min-count", o->minCount, "N", "words: rarer ones become <unk> (default 2)")
        .option("--model", o->spec.model, "MODEL", "sentencepiece: unigram (default) or bpe")
        .option("--vocab-size", o->vocabSize, "N", "sentencepiece: number of pieces (default 8000)")
        .examples(
            "heddle tokenizer train train.en.gz --out en.json --lower\n"
            "heddle tokenizer train train.en train.de --kind sentencepiece --vocab-size 4000 --out joint.model")
        .action([o](Context& context) { return train(*o, context); });
    tokenizer.command("encode", "Print the tokens of each line")
        .option("--tokenizer", o->file, "FILE", "What tokenizer train saved, or a run's tokenizer/source.json")
        .required("--tokenizer")
        .flag("--ids", o->ids, "Print numbers instead of tokens")
        .positional("TEXT", o->text, "A sentence; without it, or for -, lines of standard input",
                    CommandBuilder::Need::Optional)
        .examples(
            "heddle tokenizer encode --tokenizer en.json 'a man sleeps'\nheddle tokenizer encode --tokenizer en.json --ids < "
            "test.en")
        .action([o](Context& context) { return encode(*o, context); });
    tokenizer.command("decode", "Turn numbers back into text")
        .option("--tokenizer", o->file, "FILE", "What tokenizer train saved")
        .required("--tokenizer")
        .positional("IDS", o->text, "Numbers; without them, or for -, lines of standard input", CommandBuilder::Need::Optional)
        .examples("heddle tokenizer decode --tokenizer en.json '17 4 250'")
        .action([o](Context& context) { return decode(*o, context); });
}

}  // namespace heddle::app
