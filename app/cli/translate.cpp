// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/search_arguments.h"
#include "app/cli/write_file.h"
#include "engine/base/json.h"
#include "engine/base/special_tokens.h"

namespace heddle::app {
namespace {

struct TranslateOptions {
    ModelChoice model;
    SearchArguments search;
    std::string text, attention;
    bool scores = false;
};

/// [head][row][column]
Json weightsDocument(const AttentionMap& map) {
    Json heads = Json::array();
    auto value = map.values.begin();
    for (std::int64_t h = 0; h < map.heads; ++h) {
        Json rows = Json::array();
        for (std::int64_t r = 0; r < map.rows; ++r, value += map.columns)
            rows.push_back(std::vector<float>(value, value + map.columns));
        heads.push_back(std::move(rows));
    }
    return heads;
}

/// A translation with its cross-attention; tokens label rows and columns.
Json attentionDocument(const std::string& line, const DecodedLine& decoded) {
    const Hypothesis& best = decoded.hypotheses.front();
    std::vector<std::string> columns = decoded.sourceTokens, rows = best.tokens;
    if (!columns.empty()) columns.emplace_back(kSpecialTokens[kEos]);
    if (best.ended) rows.emplace_back(kSpecialTokens[kEos]);
    Json layers = Json::array();
    for (const AttentionMap& map : best.cross)
        layers.push_back({{"path", map.path}, {"pass", map.pass}, {"heads", weightsDocument(map)}});
    return {
        {"source", line}, {"translation", best.text}, {"source_tokens", columns}, {"target_tokens", rows}, {"cross", layers}};
}

int translate(const TranslateOptions& options, const Context& context) {
    LineDecoder decoder;
    decoder.scores = options.scores;
    decoder.request.search = searchOf(options.search);
    if (!options.attention.empty()) decoder.request.attention = DecodeRequest::Attention::Cross;
    const OpenedRun opened = openRun(options.model, context);
    noteObstacle(opened, context);
    decoder.decode = [&](const DecodeRequest& request) { return opened.session->translate(request); };
    Json all = Json::array(), attention = Json::array();
    decoder.each = [&](const std::string& line, const DecodedLine& decoded) {
        if (context.json)
            all.push_back({{"source", line},
                           {"translation", decoded.hypotheses.front().text},
                           {"hypotheses", hypothesesDocument(decoded)}});
        if (!options.attention.empty()) attention.push_back(attentionDocument(line, decoded));
    };
    decodeLines(decoder, options.text, context);
    noteWarning(opened, context);
    if (!options.attention.empty()) {
        const Json document{{"schema", "heddle.attention/1"}, {"run", opened.run}, {"step", opened.step}, {"lines", attention}};
        writeFile(options.attention, dumped(document) + "\n");
    }
    printDecoded("heddle.translation/1", opened, decoder.request.search, std::move(all), context);
    return 0;
}

}  // namespace

void addTranslate(CommandBuilder& root) {
    auto o = std::make_shared<TranslateOptions>();
    auto command = root.command("translate", "Translate with a trained run: one line out for each line in");
    addModelOptions(command, o->model);
    addSearchOptions(command, o->search);
    command.option("--attention", o->attention, "FILE", "Write the cross-attention of the best translations there, as JSON")
        .flag("--scores", o->scores, "Print log P (natural) and log P a token with <eos> before each translation, between tabs")
        .text(o->text, "A sentence")
        .examples(
            "heddle translate --run base 'a man sleeps .'\nheddle translate --run 3f2a --checkpoint last < test.en > test.hyp\n"
            "heddle translate --run base --beam 5 --length-penalty 0.6 --n-best 3 'a man sleeps .'\n"
            "heddle translate --run base --scores < test.en > scored.tsv\n"
            "heddle translate --run base --attention weights.json 'a man sleeps .'")
        .action([o](Context& context) { return translate(*o, context); });
}

}  // namespace heddle::app
