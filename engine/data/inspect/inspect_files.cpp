// SPDX-License-Identifier: Apache-2.0
#include "engine/base/json.h"
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
using LabelCounts = std::vector<std::pair<std::string, std::int64_t>>;

/// Counts of the publisher's classes in their order, including absent ones; without such a list, of the occurring classes,
/// sorted.
LabelCounts countLabels(const ExampleFormat& format, const std::vector<Example>& examples) {
    std::map<std::string, std::string> names;  // of classes, by what their labels say
    for (const auto& label : labelSpellings(examples)) names.emplace(label.first, className(label));
    std::map<std::string, std::int64_t> found;
    for (const Example& example : examples)
        if (!example.label.empty()) ++found[names.at(plainLabel(example.label))];
    LabelCounts counts;
    for (const std::string& label : format.classes) counts.emplace_back(label, found.contains(label) ? found[label] : 0);
    if (format.classes.empty()) counts.assign(found.begin(), found.end());
    return counts;
}

LabelCounts countTags(const std::vector<Example>& examples) {
    std::map<std::string, std::int64_t> found;
    for (const Example& example : examples)
        for (const std::string& tag : example.tags) ++found[tag];
    return {found.begin(), found.end()};
}

Json describeSpans(const std::vector<Example>& examples) {
    std::map<std::string, std::int64_t> found;
    for (const Example& example : examples)
        for (const std::string& tag : example.tags)
            if (tag.starts_with("B-")) ++found[tag.substr(2)];
    Json spans = Json::array();
    for (const auto& [type, count] : found) spans.push_back({{"type", type}, {"count", count}});
    return spans;
}

Json describeScores(const std::vector<Example>& examples) {
    std::vector<double> values;
    for (const Example& example : examples) {
        double value = 0;
        if (example.label.empty()) continue;
        std::from_chars(example.label.data(), example.label.data() + example.label.size(), value);
        values.push_back(value);
    }
    return describeNumbers(std::move(values));
}

std::string joinedWords(const Example& example) {
    std::string text;
    for (const std::string& word : example.words) text += (text.empty() ? "" : " ") + word;
    return text;
}

/// Describes duplicate texts: how many, and how many with a different label.
void describeRepetition(const std::vector<Example>& examples, const std::vector<std::string>& texts, Json& description) {
    std::unordered_map<std::string_view, std::string_view> labels;
    std::int64_t again = 0, contradicting = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto [entry, isNew] = labels.emplace(texts[i], examples[i].label);
        again += isNew ? 0 : 1;
        contradicting += !isNew && entry->second != examples[i].label ? 1 : 0;
    }
    description["duplicate_examples"] = again;
    description["contradicting_labels"] = contradicting;
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

void describeTask(const ExampleFormat& format, const ExampleFile& file, Json& description) {
    const std::vector<Example>& examples = file.examples;
    switch (format.kind) {
    case Kind::Class: description["labels"] = describeBalance(countLabels(format, examples)); break;
    case Kind::Number: description["scores"] = describeScores(examples); break;
    case Kind::Tags:
        description["labels"] = describeBalance(countTags(examples));
        description["spans"] = describeSpans(examples);
        break;
    case Kind::Span: {
        std::vector<std::int64_t> answers;
        for (const Example& example : examples) answers.push_back(static_cast<std::int64_t>(example.answers.size()));
        description["answers"] = describeLengths(std::move(answers));
        description["unanswered"] =
            std::count_if(examples.begin(), examples.end(), [](const Example& e) { return e.answers.empty(); });
    }
    }
}

const char* kindName(Kind kind) {
    switch (kind) {
    case Kind::Class: return "class";
    case Kind::Number: return "number";
    case Kind::Tags: return "tags";
    case Kind::Span: return "span";
    }
    return "";
}

/// Mean and standard deviation of the pixels, as fractions of white, for normalising the inputs of image models.
Json describePixels(const std::vector<std::uint8_t>& pixels) {
    std::array<std::int64_t, 256> counts{};
    for (const std::uint8_t pixel : pixels) ++counts[pixel];
    double sum = 0, squares = 0;
    for (std::size_t value = 0; value < counts.size(); ++value) {
        const double share = static_cast<double>(counts[value]) / static_cast<double>(pixels.size());
        const double white = static_cast<double>(value) / 255;
        sum += share * white;
        squares += share * white * white;
    }
    const auto distinct = std::count_if(counts.begin(), counts.end(), [](std::int64_t count) { return count > 0; });
    return {{"mean", sum},
            {"std", std::sqrt(std::max(0.0, squares - sum * sum))},
            {"distinct", distinct},
            {"zero", static_cast<double>(counts[0]) / static_cast<double>(pixels.size())}};
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
    result.kind = Inspected::Kind::Examples;
    result.count = static_cast<std::int64_t>(file.examples.size());
    result.skipped = file.skipped;
    Json& description = result.description;
    description = {{"title", format.title},    {"kind", kindName(format.kind)}, {"sha256", file.sha256}, {"notes", file.notes},
                   {"examples", result.count}, {"skipped", file.skipped},       {"split", split}};
    if (format.kind == Kind::Class)
        for (const std::string& note : spellingNotes(file.examples)) description["notes"].push_back(path + ": " + note);
    describeTask(format, file, description);
    describeRepetition(file.examples, sides.both, description);
    // Counts characters and words of the texts themselves; the line feed that joins two texts for comparison does not count.
    const auto addSide = [&](const TextSide& texts, const char* name) {
        Json side = describeSide(texts, options, "example");
        side["name"] = name;
        side["empty"] = std::count(texts.lengths.begin(), texts.lengths.end(), 0);
        description["sides"].push_back(std::move(side));
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
    return result;
}

Inspected inspectIdx(const std::string& path) {
    Inspected result;
    IdxHeader header;
    if (isIdxFile(path, &header) && header.sizes.size() == 1) {
        const IdxLabels file = readIdxLabels(path);
        result.kind = Inspected::Kind::Labels;
        result.count = static_cast<std::int64_t>(file.labels.size());
        std::vector<std::int64_t> counts(256);
        for (const std::uint8_t label : file.labels) ++counts[label];
        std::vector<std::pair<std::string, std::int64_t>> classes;
        for (std::size_t label = 0; label < counts.size(); ++label)
            if (counts[label] > 0) classes.emplace_back(std::to_string(label), counts[label]);
        result.description = {{"kind", "labels"},
                              {"sha256", file.sha256},
                              {"examples", result.count},
                              {"labels", describeBalance(classes)},
                              {"notes", Json::array()}};
        return result;
    }
    const IdxImages file = readIdxImages(path);
    result.kind = Inspected::Kind::Images;
    result.count = file.count;
    result.description = {{"kind", "images"},
                          {"sha256", file.sha256},
                          {"examples", file.count},
                          {"rows", file.rows},
                          {"columns", file.columns},
                          {"duplicate_examples", repeatedImages(file)},
                          {"pixels", describePixels(file.pixels)},
                          {"notes", Json::array()}};
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
        Json list = Json::array();
        for (std::size_t i = from; i < to; ++i) list.push_back({{"word", vectors.words[order[i]]}, {"norm", norms[order[i]]}});
        return list;
    };
    const std::size_t shown = std::min<std::size_t>(5, order.size());
    Json first = Json::array();
    for (std::size_t i = 0; i < std::min(options.frequent, vectors.words.size()); ++i) first.push_back(vectors.words[i]);

    Inspected result;
    result.kind = Inspected::Kind::Vectors;
    result.count = static_cast<std::int64_t>(vectors.words.size());
    result.description = {{"kind", "vectors"},
                          {"layout", kLayouts[static_cast<std::size_t>(vectorLayoutOf(path))]},
                          {"sha256", vectors.sha256},
                          {"words", result.count},
                          {"dim", vectors.dim},
                          {"skipped", vectors.skipped},
                          {"norm", describeNumbers(norms)},
                          {"shortest", listed(0, shown)},
                          {"longest", listed(order.size() - shown, order.size())},
                          {"first_words", first},
                          {"notes", vectors.notes}};
    return result;
}

}  // namespace heddle::data_report
