// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/sha256.h"
#include "engine/data/readers/corpus.h"
#include "engine/data/vectors/word2vec.h"

#include <fmt/format.h>

#include <ostream>

namespace heddle::app {
namespace {

struct VectorsOptions {
    std::vector<std::string> files;
    std::string out, from, model = "skipgram";
    std::optional<std::int64_t> dim, window, negatives, epochs, minCount, seed;
    std::optional<double> rate;
};

Word2VecOptions optionsOf(const VectorsOptions& given, const WordVectors& start) {
    if (given.model != "skipgram" && given.model != "cbow")
        throw Error(ErrorCode::Usage, "unknown model \"" + given.model + "\"", "--model", "skipgram or cbow");
    Word2VecOptions options;
    if (given.model == "cbow") options.model = Word2VecOptions::Model::Cbow;
    if (!given.from.empty()) {
        options.start = &start;
        options.dim = start.dim;
    }
    const auto take = [](const auto& from, auto& to, const char* option) {
        if (!from) return;
        if (*from < 1) throw Error(ErrorCode::Usage, fmt::format("{} is too small", *from), option, "give 1 or more");
        to = static_cast<std::remove_reference_t<decltype(to)>>(*from);
    };
    take(given.dim, options.dim, "--dim");
    take(given.window, options.window, "--window");
    take(given.negatives, options.negatives, "--negatives");
    take(given.epochs, options.epochs, "--epochs");
    take(given.minCount, options.minCount, "--min-count");
    take(given.seed, options.seed, "--seed");
    if (given.rate) options.rate = *given.rate;
    return options;
}

int train(const VectorsOptions& given, const Context& context) {
    std::vector<std::string> lines;
    Json texts = Json::array();
    for (const std::string& path : given.files) {
        Corpus corpus = readCorpus(path);
        texts.push_back({{"path", path}, {"sha256", corpus.file.sha256}});
        std::move(corpus.file.lines.begin(), corpus.file.lines.end(), std::back_inserter(lines));
    }
    const WordVectors start = given.from.empty() ? WordVectors() : readWordVectors(given.from);
    Word2VecOptions options = optionsOf(given, start);
    options.progress = [&](std::int64_t, double share) {
        if (context.terminal.progress) context.screen << fmt::format("\rword vectors: {:3.0f} %", 100 * share) << std::flush;
    };
    const WordVectors vectors = trainWord2Vec(lines, options);
    if (context.terminal.progress) context.screen << "\r\033[K";
    writeWordVectors(given.out, vectors);
    context.print({{"schema", "heddle.vectors/1"},
                   {"path", given.out},
                   {"words", vectors.words.size()},
                   {"dim", vectors.dim},
                   {"sha256", sha256OfFile(given.out)},
                   {"from", given.from.empty() ? Json(nullptr) : Json{{"path", given.from}, {"sha256", start.sha256}}},
                   {"texts", texts}},
                  fmt::format("{} words, {} numbers each, in {}\n", vectors.words.size(), vectors.dim, given.out));
    return 0;
}

}  // namespace

void addVectors(CommandBuilder& root) {
    CommandBuilder vectors = root.command("vectors", "Word vectors: what frozen embeddings are made of");
    auto o = std::make_shared<VectorsOptions>();
    vectors.command("train", "Learn word vectors from text (word2vec: Mikolov et al. 2013)")
        .positionals("TEXT", o->files, "Files, plain or .gz; words are split at white space")
        .option("--out", o->out, "FILE", "Where they go: word2vec's text format")
        .required("--out")
        .option("--from", o->from, "FILE", "Go on from these vectors")
        .option("--model", o->model, "MODEL", "skipgram (default) or cbow")
        .option("--dim", o->dim, "N", "Numbers a word (default 100)")
        .option("--window", o->window, "N", "Words on each side (default 5)")
        .option("--negatives", o->negatives, "N", "Noise words for a true one (default 5)")
        .option("--epochs", o->epochs, "N", "Passes over the text (default 5)")
        .option("--min-count", o->minCount, "N", "Rarer words are left out (default 5)")
        .option("--rate", o->rate, "R", "First learning rate (default 0.025)")
        .option("--seed", o->seed, "N", "Seed of everything random")
        .examples(
            "heddle vectors train corpus.txt.gz --out vectors.txt --dim 300\n"
            "heddle train star-w2v --set data.vectors=vectors.txt --set dims.d=300 …")
        .action([o](Context& context) { return train(*o, context); });
}

}  // namespace heddle::app
