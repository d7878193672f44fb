// SPDX-License-Identifier: Apache-2.0
// Tjong Kim Sang and De Meulder 2003, "Introduction to the CoNLL-2003 shared task": a span counts only as a whole. Numbers are
// those of seqeval 1.2 with zero_division=0.
#include "engine/metrics/spans.h"

#include "engine/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace heddle {
namespace {

struct Tag {
    char mark = 'O';
    std::string type;
};

Tag parseTag(const std::string& tag, std::size_t word) {
    if (tag == "O") return {};
    const bool isMarked = !tag.empty() && (tag[0] == 'B' || tag[0] == 'I');
    if (!isMarked || (tag.size() > 1 && tag[1] != '-'))
        throwInvalid(fmt::format("\"{}\" is not a BIO tag", tag), fmt::format("word {}", word + 1),
                     "write O, B-TYPE or I-TYPE");
    return {tag[0], tag.size() > 2 ? tag.substr(2) : "_"};
}

struct SpanCounts {
    std::int64_t truth = 0, predicted = 0, correct = 0;
};

std::map<std::string, SpanCounts> countSpans(const std::vector<TagSequence>& truth, const std::vector<TagSequence>& predicted,
                                             SpanScheme scheme) {
    std::map<std::string, SpanCounts> counts;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        const std::vector<TagSpan> trueSpans = spansOf(truth[i], scheme), predictedSpans = spansOf(predicted[i], scheme);
        std::vector<TagSpan> both;
        std::set_intersection(trueSpans.begin(), trueSpans.end(), predictedSpans.begin(), predictedSpans.end(),
                              std::back_inserter(both));
        for (const TagSpan& span : trueSpans) ++counts[span.type].truth;
        for (const TagSpan& span : predictedSpans) ++counts[span.type].predicted;
        for (const TagSpan& span : both) ++counts[span.type].correct;
    }
    return counts;
}

const char* nameOf(SpanScheme scheme) { return scheme == SpanScheme::Strict ? "strict" : "conlleval"; }

std::string nothingWarning(const ClassScore& score) {
    return score.truth + score.predicted == 0 ? "no spans in truth or prediction; 0 by convention" : "";
}

}  // namespace

std::vector<TagSpan> spansOf(const TagSequence& tags, SpanScheme scheme) {
    std::vector<TagSpan> spans;
    bool isInside = false;
    for (std::size_t i = 0; i < tags.size(); ++i) {
        const Tag tag = parseTag(tags[i], i);
        const auto at = static_cast<std::int64_t>(i);
        const bool continues = tag.mark == 'I' && isInside && spans.back().type == tag.type;
        const bool begins = tag.mark == 'B' || (tag.mark == 'I' && !continues && scheme == SpanScheme::Conlleval);
        if (begins) spans.push_back({at, at, tag.type});
        isInside = begins || continues;
        if (isInside) spans.back().end = at + 1;
    }
    return spans;
}

SpanReport scoreSpans(const std::vector<TagSequence>& truth, const std::vector<TagSequence>& predicted, SpanScheme scheme) {
    if (truth.size() != predicted.size() || truth.empty())
        throwInvalid(fmt::format("{} tagged sentences for {}", predicted.size(), truth.size()), "span F1",
                     "score the same sentences, at least one");
    SpanReport report;
    report.scheme = scheme;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        if (truth[i].size() != predicted[i].size())
            throwInvalid(fmt::format("{} tags for {} words", predicted[i].size(), truth[i].size()),
                         fmt::format("sentence {}", i + 1), "give one tag per word");
        report.words += static_cast<std::int64_t>(truth[i].size());
        for (std::size_t w = 0; w < truth[i].size(); ++w) report.wordsRight += truth[i][w] == predicted[i][w] ? 1 : 0;
    }
    SpanCounts all;
    for (const auto& [type, counts] : countSpans(truth, predicted, scheme)) {
        report.types.push_back(type);
        report.perType.push_back(classScore(counts.correct, counts.predicted, counts.truth));
        report.macroF1 += report.perType.back().f1;
        all = {all.truth + counts.truth, all.predicted + counts.predicted, all.correct + counts.correct};
    }
    report.micro = classScore(all.correct, all.predicted, all.truth);
    report.macroF1 /= static_cast<double>(report.types.size());  // of no types: NaN
    return report;
}

std::vector<MetricValue> spanValues(const SpanReport& report) {
    const std::int64_t n = report.micro.truth;
    const auto signature = [&report](const std::string& head, const std::string& average, std::int64_t over) {
        return metricSignature(head, {{"scheme", nameOf(report.scheme)}, {"average", average}, {"zero_division", "0"}}, over);
    };
    const std::string warning = nothingWarning(report.micro);
    std::vector<MetricValue> values{{"span_f1", report.micro.f1, signature("span_f1", "micro", n), n, warning},
                                    {"precision", report.micro.precision, signature("span_precision", "micro", n), n,
                                     report.micro.predicted == 0 ? "no span was predicted; 0 by convention" : ""},
                                    {"recall", report.micro.recall, signature("span_recall", "micro", n), n,
                                     report.micro.truth == 0 ? "there are no spans in the truth; 0 by convention" : ""},
                                    {"macro_span_f1", report.macroF1, signature("span_f1", "macro", n), n,
                                     report.types.empty() ? "there are no types" : ""}};
    const std::string ofTags = metricSignature("acc", {{"per", "tag"}}, report.words);
    values.push_back(report.words == 0
                         ? undefinedMetric("accuracy", ofTags, "no words")
                         : MetricValue{"accuracy", static_cast<double>(report.wordsRight) / static_cast<double>(report.words),
                                       ofTags, report.words, ""});
    for (std::size_t i = 0; i < report.types.size(); ++i) {
        const ClassScore& score = report.perType[i];
        values.push_back({"span_f1/" + report.types[i], score.f1, signature("span_f1", "type", score.truth), score.truth, ""});
    }
    return values;
}

}  // namespace heddle
