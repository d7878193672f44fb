// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/search_arguments.h"
#include "engine/base/json.h"

namespace heddle::app {
namespace {

struct GenerateOptions {
    ModelChoice model;
    SearchArguments search;
    std::string text;
};

int generate(const GenerateOptions& options, const Context& context) {
    LineDecoder decoder;
    decoder.request.search = searchOf(options.search);
    const OpenedRun opened = openRun(options.model, context);
    noteObstacle(opened, context);
    decoder.decode = [&](const DecodeRequest& request) { return opened.session->generate(request); };
    Json all = Json::array();
    decoder.each = [&](const std::string& line, const DecodedLine& decoded) {
        if (context.json)
            all.push_back(
                {{"prompt", line}, {"text", decoded.hypotheses.front().text}, {"hypotheses", hypothesesDocument(decoded)}});
    };
    decodeLines(decoder, options.text, context);
    noteWarning(opened, context);
    printDecoded("heddle.generation/1", opened, decoder.request.search, std::move(all), context);
    return 0;
}

}  // namespace

void addGenerate(CommandBuilder& root) {
    auto o = std::make_shared<GenerateOptions>();
    auto command = root.command("generate", "Continue texts with a trained language model: one line out for each line in");
    addModelOptions(command, o->model);
    addSearchOptions(command, o->search);
    command.text(o->text, "The beginning")
        .examples(
            "heddle generate --run lm --max-tokens 30 'the company said'\n"
            "heddle generate --run lm --temperature 0.8 --top-p 0.95 --seed 7 < beginnings.txt")
        .action([o](Context& context) { return generate(*o, context); });
}

}  // namespace heddle::app
