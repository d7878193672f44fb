// SPDX-License-Identifier: Apache-2.0
#include "app/cli/comparison.h"

#include "app/cli/terminal.h"
#include "app/study/verdict_words.h"
#include "engine/analysis/paired_difference.h"
#include "engine/analysis/test_set_difference.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/number_text.h"
#include "engine/base/printable.h"
#include "engine/data/readers/text_file.h"
#include "engine/metrics/bleu.h"
#include "engine/metrics/chrf.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace heddle::app {
namespace {

/// Sentences whose terms differ.
std::size_t changedItems(const ItemMetric& metric, const ItemTerms& output, const ItemTerms& base) {
    std::size_t changed = 0;
    for (std::size_t at = 0; at < base.size(); at += metric.width)
        changed += !std::equal(base.begin() + std::ptrdiff_t(at), base.begin() + std::ptrdiff_t(at + metric.width),
                               output.begin() + std::ptrdiff_t(at));
    return changed;
}

struct TestedOutput {
    TestSetDifference bootstrap, randomised;
    std::string whyNone;  ///< why no p is told; empty: p is
};

/// One metric of all outputs; that of the first is the base's.
struct TextMetric {
    std::string name, signature;
    ItemMetric metric;
    std::vector<ItemTerms> terms;
    std::vector<TestedOutput> others = {};  ///< of all outputs but the first

    double baseScore() const { return metric.score(metric.sumsOf(terms.front())); }
};

TestedOutput tested(const TextMetric& of, const ItemTerms& output) {
    const ItemTerms& base = of.terms.front();
    TestedOutput result{pairedBootstrap(of.metric, output, base), approximateRandomisation(of.metric, output, base), ""};
    const std::size_t changed = changedItems(of.metric, output, base);
    if (result.bootstrap.areEqual)
        result.whyNone = "equal: no sentence differs in what this metric counts";
    else if (result.bootstrap.items < std::size_t(kFewestExamples))
        result.whyNone = fmt::format("no p from {} sentences, {} at least", result.bootstrap.items, kFewestExamples);
    else if (changed < std::size_t(kFewestChanged))
        result.whyNone = fmt::format("no p from {} sentences that differ, {} at least", changed, kFewestChanged);
    return result;
}

std::vector<TextMetric> textMetrics(const std::vector<TextFile>& files) {
    const std::vector<std::string>& reference = files.front().lines;
    TextMetric bleu{"bleu", "", bleuMetric(BleuOptions{}.smooth), {}}, chrf{"chrf", "", chrfMetric({}), {}};
    for (std::size_t i = 1; i < files.size(); ++i) {
        const BleuScore score = corpusBleu(files[i].lines, reference, {});
        bleu.signature = score.signature;
        bleu.terms.push_back(bleuTerms(score.sentences));
        chrf.terms.push_back(chrfTerms(files[i].lines, reference, {}));
    }
    chrf.signature = corpusChrf(files[1].lines, reference, {}).value.signature;
    std::vector<TextMetric> all{std::move(bleu), std::move(chrf)};
    for (TextMetric& one : all)
        for (std::size_t i = 1; i < one.terms.size(); ++i) one.others.push_back(tested(one, one.terms[i]));
    return all;
}

std::vector<TextFile> readTexts(const std::vector<std::string>& paths) {
    if (paths.size() < 3)
        throwUsage("one reference and two outputs are needed", "--texts",
                   "use this order: heddle compare --texts REFERENCE BASE OTHER");
    std::vector<TextFile> files;
    for (const std::string& path : paths) {
        files.push_back(readTextFile(path));
        const std::size_t lines = files.back().lines.size(), wanted = files.front().lines.size();
        if (lines == 0) throwInvalid("the file is empty", path, "give a file with one sentence per line");
        if (lines != wanted)
            throwInvalid(fmt::format("the file has {} lines, but the reference has {}", lines, wanted), path,
                         fmt::format("give one output line for each line of {}", paths.front()));
    }
    return files;
}

Json resampledDocument(const ResampledScore& score) { return {{"mean", score.mean}, {"reach", score.reach}}; }

Json textsDocument(const std::vector<std::string>& paths, const std::vector<TextMetric>& metrics) {
    Json outputs = Json::array(), base = Json::array();
    for (const TextMetric& one : metrics)
        base.push_back({{"metric", one.name}, {"score", one.baseScore()}, {"signature", one.signature}});
    for (std::size_t i = 0; i + 2 < paths.size(); ++i) {
        Json scores = Json::array();
        for (const TextMetric& one : metrics) {
            const auto& [bootstrap, randomised, whyNone] = one.others[i];
            const bool isTold = whyNone.empty();
            Json score{{"metric", one.name},
                       {"score", bootstrap.score},
                       {"difference", bootstrap.score - bootstrap.scoreBaseline},
                       {"equal", bootstrap.areEqual},
                       {"bootstrap",
                        {{"p", isTold ? Json(bootstrap.p) : Json()},
                         {"resampled", resampledDocument(*bootstrap.resampled)},
                         {"resampled_base", resampledDocument(*bootstrap.resampledBaseline)},
                         {"signature", testSetSignature(one.signature, fmt::format("bs:{}", kBootstrapSamples))}}},
                       {"randomisation",
                        {{"p", isTold ? Json(randomised.p) : Json()},
                         {"signature", testSetSignature(one.signature, fmt::format("ar:{}", kRandomisationTrials))}}}};
            if (!isTold) score["why_none"] = whyNone;
            scores.push_back(std::move(score));
        }
        outputs.push_back({{"file", paths[i + 2]}, {"metrics", std::move(scores)}});
    }
    return {{"schema", "heddle.compare-texts/1"},
            {"reference", paths[0]},
            {"sentences", metrics.front().others.front().bootstrap.items},
            {"base", {{"file", paths[1]}, {"metrics", std::move(base)}}},
            {"outputs", std::move(outputs)},
            {"covers", kCoversTestSentencesAlone}};
}

std::string textsText(const std::vector<std::string>& paths, const std::vector<TextMetric>& metrics) {
    const auto resampled = [](const ResampledScore& score) {
        return fmt::format("{} ± {}", numberText(score.mean), numberText(score.reach));
    };
    Table table({"", "", "score", "samples, 95 %", "difference", "p bootstrap", "p randomised"});
    std::string notes, signatures;
    for (const TextMetric& one : metrics) {
        table.add({one.name, cut(printable(paths[1]), 40), numberText(one.baseScore()),
                   resampled(*one.others.front().bootstrap.resampledBaseline), "base", "", ""});
        for (std::size_t i = 0; i < one.others.size(); ++i) {
            const auto& bootstrap = one.others[i].bootstrap;
            const auto& randomised = one.others[i].randomised;
            const std::string& whyNone = one.others[i].whyNone;
            const auto pOf = [&](double p) { return whyNone.empty() ? pText(p) : std::string("–"); };
            table.add({one.name, cut(printable(paths[i + 2]), 40), numberText(bootstrap.score), resampled(*bootstrap.resampled),
                       signedNumberText(bootstrap.score - bootstrap.scoreBaseline), pOf(bootstrap.p), pOf(randomised.p)});
            if (!whyNone.empty()) notes += fmt::format("{}, {}: {}\n", one.name, printable(paths[i + 2]), whyNone);
        }
        for (const std::string& test : {fmt::format("bs:{}", kBootstrapSamples), fmt::format("ar:{}", kRandomisationTrials)})
            signatures += fmt::format("  {} {}\n", one.name, testSetSignature(one.signature, test));
    }
    if (paths.size() > 3) notes += fmt::format("p is of each output alone, not corrected for {} outputs\n", paths.size() - 2);
    return fmt::format("{} sentences of {}\n", metrics.front().others.front().bootstrap.items, printable(paths[0])) +
           table.right({2, 3, 4, 5, 6}).text() + notes + "\nsignatures\n" + signatures + "\n" + kCoversTestSentencesAlone +
           "\n";
}

}  // namespace

int compareTexts(const std::vector<std::string>& files, const Context& context) {
    const std::vector<TextMetric> metrics = textMetrics(readTexts(files));
    context.print(textsDocument(files, metrics), textsText(files, metrics));
    return 0;
}

}  // namespace heddle::app
