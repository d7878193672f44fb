// SPDX-License-Identifier: Apache-2.0
#include "engine/base/json.h"
#include "engine/data/inspect/inspect.h"

namespace heddle {
namespace {

template <class Value>
Json summaryDocument(const std::optional<Summary<Value>>& summary) {
    if (!summary) return nullptr;
    return {{"min", summary->min},
            {"median", summary->median},
            {"mean", summary->mean},
            {"p95", summary->p95},
            {"max", summary->max}};
}

/// A list with an object for each element.
template <class Element, class Describe>
Json listOf(const std::vector<Element>& elements, const Describe& describe) {
    Json list = Json::array();
    for (const Element& element : elements) list.push_back(describe(element));
    return list;
}

Json countsDocument(const CountedWords& counts, const char* name) {
    return listOf(counts, [&](const auto& one) { return Json{{name, one.first}, {"count", one.second}}; });
}

/// `unit`: what one of its texts is called ("line", "example").
Json sideDocument(const SideReport& side, const char* unit) {
    const auto bin = [](const SideReport::Bin& one) { return Json{{"from", one.from}, {"to", one.to}, {"lines", one.texts}}; };
    const auto longText = [&](const SideReport::LongText& one) {
        return Json{{unit, one.number}, {"words", one.words}, {"text", one.text}};
    };
    return {{"words", side.words},
            {"length", summaryDocument(side.length)},
            {"histogram", listOf(side.histogram, bin)},
            {"vocabulary", {{"types", side.types}, {"once", side.once}, {"kept", side.kept}, {"coverage", side.coverage}}},
            {"characters", {{"total", side.characters}, {"distinct", side.differentCharacters}, {"not_ascii", side.notAscii}}},
            {"longest", listOf(side.longest, longText)},
            {"frequent", countsDocument(side.frequent, "word")}};
}

Json balanceDocument(const std::optional<BalanceReport>& balance) {
    if (!balance) return nullptr;
    const auto entry = [](const BalanceReport::Class& one) {
        return Json{{"label", one.label}, {"count", one.count}, {"share", one.share}};
    };
    return {{"classes", listOf(balance->classes, entry)},
            {"majority", balance->majority},
            {"majority_rate", balance->majorityRate}};
}

/// The members of a file's body.
struct BodyDocument {
    Json operator()(const LinesReport& lines) const {
        Json document = sideDocument(lines.side, "line");
        document.update({{"bytes", lines.bytes},
                         {"lines", lines.lines},
                         {"split", lines.split},
                         {"tokens_with_eos", lines.tokensWithEos},
                         {"empty_lines", lines.emptyLines},
                         {"duplicate_lines", lines.duplicateLines}});
        if (lines.articles) document.update({{"documents", lines.articles->documents}, {"headings", lines.articles->headings}});
        return document;
    }
    Json operator()(const ExamplesReport& examples) const {
        Json document = std::visit(*this, examples.labels);
        const auto side = [](const ExamplesReport::Side& one) {
            Json described = sideDocument(one.side, "example");
            described.update({{"name", one.name}, {"empty", one.empty}});
            return described;
        };
        document.update({{"title", examples.title},
                         {"examples", examples.examples},
                         {"skipped", examples.skipped},
                         {"split", examples.split},
                         {"duplicate_examples", examples.duplicates},
                         {"contradicting_labels", examples.contradicting},
                         {"sides", listOf(examples.sides, side)}});
        return document;
    }
    Json operator()(const ClassReport& of) const { return {{"kind", "class"}, {"labels", balanceDocument(of.labels)}}; }
    Json operator()(const ScoreReport& of) const { return {{"kind", "number"}, {"scores", summaryDocument(of.scores)}}; }
    Json operator()(const TagReport& of) const {
        return {{"kind", "tags"}, {"labels", balanceDocument(of.labels)}, {"spans", countsDocument(of.spans, "type")}};
    }
    Json operator()(const AnswerReport& of) const {
        return {{"kind", "span"}, {"answers", summaryDocument(of.answers)}, {"unanswered", of.unanswered}};
    }
    Json operator()(const ImageLabelsReport& of) const {
        return {{"kind", "labels"}, {"examples", of.examples}, {"labels", balanceDocument(of.labels)}};
    }
    Json operator()(const ImagesReport& of) const {
        return {{"kind", "images"},
                {"examples", of.examples},
                {"rows", of.rows},
                {"columns", of.columns},
                {"duplicate_examples", of.duplicates},
                {"pixels", {{"mean", of.mean}, {"std", of.deviation}, {"distinct", of.greyLevels}, {"zero", of.zeroShare}}}};
    }
    Json operator()(const VectorsReport& of) const {
        const auto norm = [](const auto& one) { return Json{{"word", one.first}, {"norm", one.second}}; };
        return {{"kind", "vectors"},
                {"layout", of.layout},
                {"words", of.words},
                {"dim", of.dim},
                {"skipped", of.skipped},
                {"norm", summaryDocument(of.norm)},
                {"shortest", listOf(of.shortest, norm)},
                {"longest", listOf(of.longest, norm)},
                {"first_words", of.firstWords}};
    }
};

Json fileDocument(const FileReport& file) {
    Json document = std::visit(BodyDocument(), file.body);
    document.update({{"path", file.path},
                     {"sha256", file.sha256},
                     {"format", file.format},
                     {"recognised_by", file.recognisedBy},
                     {"notes", file.notes}});
    return document;
}

struct PairMembers {
    Json operator()(const TextPair& of) const {
        return {{"lines", of.lines},
                {"length_ratio", orNull(of.lengthRatio)},
                {"equal_lines", of.equalLines},
                {"duplicate_pairs", of.duplicatePairs}};
    }
    Json operator()(const LabelledImages& of) const { return {{"images", of.images}}; }
    Json operator()(const Mismatch& of) const { return {{"problem", of.problem}}; }
};

Json pairDocument(const PairReport& pair) {
    Json document = std::visit(PairMembers(), pair.body);
    document.update({{"source", pair.source}, {"target", pair.target}});
    return document;
}

Json splitsDocument(const SplitsReport& of) {
    return {{"a", of.a}, {"b", of.b}, {"lines_of_b_in_a", of.linesOfBInA}, {"words_of_b_unknown_in_a", of.unknownWordsOfB}};
}

Json totalDocument(const TotalReport& of) {
    return {{"format", of.format},
            {"files", of.files},
            {"examples", of.examples},
            {"skipped", of.skipped},
            {"words", of.words},
            {"word_types", of.types},
            {"characters", {{"total", of.characters}, {"distinct", of.differentCharacters}}}};
}

}  // namespace

Json inspectDocument(const DataReport& report) {
    return {{"schema", "heddle.data/1"},
            {"split", report.split},
            {"lower", report.lower},
            {"min_count", report.minCount},
            {"files", listOf(report.files, fileDocument)},
            {"pairs", listOf(report.pairs, pairDocument)},
            {"splits", listOf(report.splits, splitsDocument)},
            {"totals", listOf(report.totals, totalDocument)}};
}

}  // namespace heddle
