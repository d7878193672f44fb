// SPDX-License-Identifier: Apache-2.0
#include "engine/data/inspect/inspect_statistics.h"
#include "engine/data/readers/examples.h"
#include "engine/data/readers/label_names.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

namespace heddle::inspection {
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

}  // namespace heddle::inspection
