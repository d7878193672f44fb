// SPDX-License-Identifier: Apache-2.0
#include "app/cli/search_arguments.h"

#include "app/cli/input_lines.h"
#include "engine/base/error.h"
#include "engine/base/json.h"

#include <fmt/format.h>

#include <ostream>

namespace heddle::app {
namespace {

constexpr std::size_t kLinesAtOnce = 64;

/// log P of a text, and log P per token including <eos>, a measure of confidence.
std::string scoresOf(const Hypothesis& one) {
    const std::size_t tokens = one.tokens.size() + (one.ended ? 1 : 0);
    const double each = tokens > 0 ? one.logProbability / static_cast<double>(tokens) : 0;
    return fmt::format("{:.6f}\t{:.6f}\t", one.logProbability, each);
}

void print(const DecodedLine& line, const LineDecoder& decoder, const Context& context) {
    if (decoder.request.search.nBest == 1) {
        const Hypothesis& best = line.hypotheses.front();
        context.lines << (decoder.scores ? scoresOf(best) : "") << best.text << "\n";
        return;
    }
    std::size_t rank = 0;
    for (const Hypothesis& one : line.hypotheses)
        context.lines << fmt::format("{}\t{:.6f}\t{}{}\n", ++rank, one.score, decoder.scores ? scoresOf(one) : "", one.text);
}

}  // namespace

void addSearchOptions(CommandBuilder& command, SearchArguments& a) {
    command.option("--beam", a.beam, "N", "Beam search that follows N texts")
        .option("--length-penalty", a.lengthPenalty, "ALPHA",
                "Beam search divides log P by ((5 + length) / 6)^ALPHA; default 0")
        .flag("--sample", a.sample, "Draw the tokens at random")
        .option("--temperature", a.temperature, "T",
                "Temperature of sampling: below 1 likely tokens become likelier; default 1")
        .option("--top-k", a.topK, "K", "Draw among the K likeliest tokens")
        .option("--top-p", a.topP, "P", "Draw among the fewest tokens that have P of the probability")
        .option("--seed", a.seed, "S", "Seed of sampling; equal seeds give equal texts; default 1")
        .option("--n-best", a.nBest, "N",
                "Print N texts a line (beam search or sampling), as rank, score and text between tabs")
        .option("--max-tokens", a.maxTokens, "N", "Longest text");
}

SearchOptions searchOf(const SearchArguments& a) {
    using Method = SearchOptions::Method;
    const bool beams = a.beam || a.lengthPenalty, samples = a.sample || a.temperature || a.topK || a.topP || a.seed;
    if (beams && samples)
        throw Error(ErrorCode::Usage, "beam search cannot be combined with sampling", "--beam",
                    "remove --beam and --length-penalty, or --sample, --temperature, --top-k, --top-p and --seed");
    SearchOptions o;
    o.method = samples ? Method::Sample : beams ? Method::Beam : Method::Greedy;
    o.nBest = a.nBest.value_or(1);
    o.maxTokens = a.maxTokens.value_or(0);
    o.beam = a.beam.value_or(o.beam);
    o.lengthPenalty = a.lengthPenalty.value_or(o.lengthPenalty);
    o.temperature = a.temperature.value_or(o.temperature);
    o.topK = a.topK.value_or(o.topK);
    o.topP = a.topP.value_or(o.topP);
    if (a.seed) o.seed = static_cast<std::uint64_t>(*a.seed);
    checkSearch(o);
    return o;
}

void decodeLines(LineDecoder decoder, const std::string& text, const Context& context) {
    DecodeRequest& request = decoder.request;
    const auto flush = [&] {
        if (request.lines.empty()) return;
        const auto decoded = decoder.decode(request);
        for (std::size_t i = 0; i < decoded.size(); ++i) {
            if (!context.json) print(decoded[i], decoder, context);
            decoder.each(request.lines[i], decoded[i]);
        }
        context.lines.flush();
        request.search.firstLine += static_cast<std::int64_t>(request.lines.size());
        request.lines.clear();
    };
    forEachLine(context, text, [&](const std::string& line) {
        request.lines.push_back(line);
        if (request.lines.size() == kLinesAtOnce) flush();
    });
    flush();
}

Json hypothesesDocument(const DecodedLine& line) {
    Json all = Json::array();
    for (const Hypothesis& one : line.hypotheses)
        all.push_back({{"text", one.text},
                       {"score", one.score},
                       {"log_probability", one.logProbability},
                       {"tokens", one.tokens},
                       {"ended", one.ended}});
    return all;
}

void printDecoded(const char* schema, const OpenedRun& opened, const SearchOptions& search, Json lines,
                  const Context& context) {
    if (!context.json) return;
    context.print({{"schema", schema},
                   {"run", opened.run},
                   {"step", opened.step},
                   {"search", searchDocument(search)},
                   {"lines", std::move(lines)}});
}

}  // namespace heddle::app
