// SPDX-License-Identifier: Apache-2.0
#include "engine/data/inspect/inspect_statistics.h"
#include "engine/data/loading/select.h"
#include "engine/data/readers/examples.h"
#include "engine/data/readers/idx.h"
#include "engine/data/readers/label_names.h"
#include "engine/data/vectors/word_vectors.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>

namespace heddle::data_report {
namespace {

using Kind = ExampleFormat::Kind;

/// Counts of the publisher's classes in their order, including absent ones; without such a list, of the occurring classes,
/// sorted.
CountedWords countLabels(const ExampleFormat& format, const std::vector<Example>& examples) {
    std::map<std::string, std::string> names;  // of classes, by what their labels say
    for (const auto& label : labelSpellings(examples)) names.emplace(label.first, className(label));
    std::map<std::string, std::int64_t> found;
    for (const Example& example : examples)
        if (!example.label.empty()) ++found[names.at(plainLabel(example.label))];
    CountedWords counts;
    for (const std::string& label : format.classes) counts.emplace_back(label, found.contains(label) ? found[label] : 0);
    if (format.classes.empty()) counts.assign(found.begin(), found.end());
    return counts;
}

CountedWords countTags(const std::vector<Example>& examples) {
    std::map<std::string, std::int64_t> found;
    for (const Example& example : examples)
        for (const std::string& tag : example.tags) ++found[tag];
    return {found.begin(), found.end()};
}

CountedWords countSpans(const std::vector<Example>& examples) {
    std::map<std::string, std::int64_t> found;
    for (const Example& example : examples)
        for (const std::string& tag : example.tags)
            if (tag.starts_with("B-")) ++found[tag.substr(2)];
    return {found.begin(), found.end()};
}

std::optional<Summary<double>> scoresOf(const std::vector<Example>& examples) {
    std::vector<double> values;
    for (const Example& example : examples) {
        double value = 0;
        if (example.label.empty()) continue;
        std::from_chars(example.label.data(), example.label.data() + example.label.size(), value);
        values.push_back(value);
    }
    return summaryOf(std::move(values));
}

std::string joinedWords(const Example& example) {
    std::string text;
    for (const std::string& word : example.words) text += (text.empty() ? "" : " ") + word;
    return text;
}

/// Counts duplicate texts, and those with a different label.
void countRepetition(const std::vector<Example>& examples, const std::vector<std::string>& texts, ExamplesReport& report) {
    std::unordered_map<std::string_view, std::string_view> labels;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto [entry, isNew] = labels.emplace(texts[i], examples[i].label);
        report.duplicates += isNew ? 0 : 1;
        report.contradicting += !isNew && entry->second != examples[i].label ? 1 : 0;
    }
}

struct Sides {
    std::vector<std::string> first, second, both;
};

Sides takeTexts(const ExampleFormat& format, const std::vector<Example>& examples) {
    Sides sides;
    for (const Example& example : examples) {
        sides.first.push_back(format.kind == Kind::Tags ? joinedWords(example) : example.first);
        if (format.pairs) sides.second.push_back(example.second);
        sides.both.push_back(format.pairs ? example.first + '\n' + example.second : sides.first.back());
    }
    return sides;
}

std::variant<ClassReport, ScoreReport, TagReport, AnswerReport> labelsOf(const ExampleFormat& format,
                                                                         const std::vector<Example>& examples) {
    switch (format.kind) {
    case Kind::Class: break;
    case Kind::Number: return ScoreReport{scoresOf(examples)};
    case Kind::Tags: return TagReport{describeBalance(countTags(examples)), countSpans(examples)};
    case Kind::Span: {
        std::vector<std::int64_t> answers;
        for (const Example& example : examples) answers.push_back(std::ssize(example.answers));
        const auto unanswered = std::count(answers.begin(), answers.end(), 0);
        return AnswerReport{summaryOf(std::move(answers)), unanswered};
    }
    }
    return ClassReport{describeBalance(countLabels(format, examples))};
}

/// Mean and standard deviation of the pixels, as fractions of white, for normalising the inputs of image models.
void describePixels(const std::vector<std::uint8_t>& pixels, ImagesReport& report) {
    std::array<std::int64_t, 256> counts{};
    for (const std::uint8_t pixel : pixels) ++counts[pixel];
    double sum = 0, squares = 0;
    for (std::size_t value = 0; value < counts.size(); ++value) {
        const double share = static_cast<double>(counts[value]) / static_cast<double>(pixels.size());
        const double white = static_cast<double>(value) / 255;
        sum += share * white;
        squares += share * white * white;
    }
    report.mean = sum;
    report.deviation = std::sqrt(std::max(0.0, squares - sum * sum));
    report.greyLevels = std::count_if(counts.begin(), counts.end(), [](std::int64_t count) { return count > 0; });
    report.zeroShare = static_cast<double>(counts[0]) / static_cast<double>(pixels.size());
}

std::int64_t repeatedImages(const IdxImages& images) {
    return groupEqual(eachImage(images.pixels, images.rows * images.columns)).repeated;
}

}  // namespace

Inspected inspectExamples(const std::string& path, const std::string& formatId, const InspectOptions& options) {
    ExampleFormat format = exampleFormat(formatId);
    format.pairs = format.pairs || (isOwnTable(formatId) && !options.columns.second.empty());
    const ExampleFile file = readExamples(path, {formatId, options.onBadLine, options.stopRequested, options.columns});
    Sides sides = takeTexts(format, file.examples);
    const std::string split = formatId.starts_with("clue/") ? options.chineseSplit : splitFor(options.split, sides.both);

    Inspected result;
    result.count = std::ssize(file.examples);
    result.skipped = file.skipped;
    result.report.sha256 = file.sha256;
    result.report.notes = file.notes;
    if (format.kind == Kind::Class)
        for (const std::string& note : spellingNotes(file.examples)) result.report.notes.push_back(path + ": " + note);
    ExamplesReport report;
    report.title = format.title;
    report.examples = result.count;
    report.skipped = result.skipped;
    report.split = split;
    report.labels = labelsOf(format, file.examples);
    countRepetition(file.examples, sides.both, report);
    // Counts characters and words of the texts themselves; the line feed that joins two texts for comparison does not count.
    const auto addSide = [&](const TextSide& texts, const char* name) {
        const auto empty = std::count(texts.lengths.begin(), texts.lengths.end(), 0);
        report.sides.push_back({name, empty, describeSide(texts, options)});
    };
    const bool isQuestion = format.kind == Kind::Span;
    TextSide first = countSide(std::move(sides.first), split, options);
    addSide(first, isQuestion ? "question" : format.pairs ? "first" : "text");
    if (format.pairs) {
        const TextSide second = countSide(std::move(sides.second), split, options);
        addSide(second, isQuestion ? "context" : "second");
        for (const auto& [word, count] : second.words) first.words[word] += count;
        for (std::size_t i = 0; i < first.lengths.size(); ++i) first.lengths[i] += second.lengths[i];
        first.characters.insert(second.characters.begin(), second.characters.end());
        first.characterTotal += second.characterTotal;
        first.notAscii += second.notAscii;
    }
    result.side = std::move(first);
    result.side.texts = std::move(sides.both);
    result.report.body = std::move(report);
    return result;
}

Inspected inspectIdx(const std::string& path) {
    Inspected result;
    IdxHeader header;
    if (isIdxFile(path, &header) && header.sizes.size() == 1) {
        const IdxLabels file = readIdxLabels(path);
        result.count = std::ssize(file.labels);
        std::vector<std::int64_t> counts(256);
        for (const std::uint8_t label : file.labels) ++counts[label];
        CountedWords classes;
        for (std::size_t label = 0; label < counts.size(); ++label)
            if (counts[label] > 0) classes.emplace_back(std::to_string(label), counts[label]);
        result.report.sha256 = file.sha256;
        result.report.body = ImageLabelsReport{result.count, describeBalance(classes)};
        return result;
    }
    const IdxImages file = readIdxImages(path);
    result.count = file.count;
    ImagesReport report{file.count, file.rows, file.columns, repeatedImages(file)};
    describePixels(file.pixels, report);
    result.report.sha256 = file.sha256;
    result.report.body = report;
    return result;
}

Inspected inspectVectors(const std::string& path, const InspectOptions& options) {
    ReadVectorsOptions reading;
    reading.onBadRow = options.onBadLine;
    const WordVectors vectors = readWordVectors(path, reading);
    static const std::array<const char*, 3> kLayouts{"word2vec text", "GloVe text", "word2vec binary"};
    const auto dim = static_cast<std::size_t>(vectors.dim);
    std::vector<double> norms;
    for (std::size_t i = 0; i < vectors.words.size(); ++i) {
        const float* const row = vectors.values.data() + i * dim;
        norms.push_back(std::sqrt(std::inner_product(row, row + dim, row, 0.0)));
    }
    std::vector<std::size_t> order(norms.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return norms[a] < norms[b]; });
    const auto listed = [&](std::size_t from, std::size_t to) {
        VectorsReport::Norms list;
        for (std::size_t i = from; i < to; ++i) list.emplace_back(vectors.words[order[i]], norms[order[i]]);
        return list;
    };
    const std::size_t shown = std::min<std::size_t>(5, order.size());
    Inspected result;
    result.count = std::ssize(vectors.words);
    VectorsReport report;
    report.layout = kLayouts[static_cast<std::size_t>(vectorLayoutOf(path))];
    report.words = result.count;
    report.dim = vectors.dim;
    report.skipped = vectors.skipped;
    report.norm = summaryOf(norms);
    report.shortest = listed(0, shown);
    report.longest = listed(order.size() - shown, order.size());
    report.firstWords.assign(vectors.words.begin(),
                             vectors.words.begin() + std::min(std::ssize(vectors.words), std::ptrdiff_t(options.frequent)));
    result.report.sha256 = vectors.sha256;
    result.report.notes = vectors.notes;
    result.report.body = std::move(report);
    return result;
}

}  // namespace heddle::data_report
