// SPDX-License-Identifier: Apache-2.0
// Examples with labels: classification, regression, tagging, span answers.
#include "engine/base/error.h"
#include "engine/data/loading/row_encoder.h"
#include "engine/data/loading/run_data.h"
#include "engine/data/readers/generated.h"
#include "engine/spec/field_schema.h"
#include "engine/spec/task_kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace heddle {
namespace {

/// What the examples of a format are, whoever makes them.
ExampleFormat formatOf(const DataSpec& spec) {
    const std::string& id = spec.format;
    if (!isGenerated(id)) {
        ExampleFormat format = exampleFormat(id);
        if (isOwnTable(id) && spec.task == "regress") format.kind = ExampleFormat::Kind::Number;
        return format;
    }
    const GeneratedFormat& generated = generatedFormat(id);
    ExampleFormat format;
    format.id = generated.id;
    format.title = generated.summary;
    format.kind = generated.task == "tag" ? ExampleFormat::Kind::Tags : ExampleFormat::Kind::Class;
    format.classes = generated.classes;
    return format;
}

std::string taskOf(ExampleFormat::Kind kind) {
    switch (kind) {
    case ExampleFormat::Kind::Class: return "classify";
    case ExampleFormat::Kind::Number: return "regress";
    case ExampleFormat::Kind::Tags: return "tag";
    case ExampleFormat::Kind::Span: return "span";
    }
    return "";
}

/// The classes of the format, or what the training examples name, sorted.
std::vector<std::string> classesOf(const ExampleFormat& format, const std::vector<Example>& train) {
    if (!format.classes.empty()) return format.classes;
    std::set<std::string> names;
    for (const Example& example : train) {
        names.insert(example.tags.begin(), example.tags.end());
        if (!example.label.empty()) names.insert(example.label);
    }
    return {names.begin(), names.end()};
}

void requireClasses(const LoadContext& context, const std::vector<std::string>& classes) {
    const auto stated = context.spec.data.task == "tag" ? context.spec.variant.statedClasses() : classesOfOutputs(context.spec);
    if (!stated || *stated == std::ssize(classes)) return;
    throwInvalid(
        fmt::format("the data have {} classes, the model has {}", classes.size(), *stated), "variant, dims.classes",
        fmt::format(
            "set dims.classes to from_data, or to {} ({}){}", classes.size(),
            fmt::join(classes.begin(), classes.begin() + std::min<std::ptrdiff_t>(20, std::ssize(classes)), ", "),
            classes.size() == 2 && *stated == 1 ? ", or train.loss to hinge: one output then tells two classes apart" : ""));
}

float numberOf(const Example& example, const std::string& split, std::size_t line) {
    float value = 0;
    const char* end = example.label.data() + example.label.size();
    const auto [stop, error] = std::from_chars(example.label.data(), end, value);
    if (error != std::errc() || stop != end)
        throwInvalid(fmt::format("\"{}\" is no number", example.label), fmt::format("data.{}, example {}", split, line + 1),
                     "task regress needs a number for every example");
    return value;
}

/// Encodes the examples of one split after the other.
class ExampleEncoder {
public:
    ExampleEncoder(const LoadContext& context, const ExampleFormat& format, RunData& data)
        : format_(format), data_(data), maxLen_(context.maxLen), stride_(context.spec.data.stride) {}

    EncodedCorpus encode(const std::vector<Example>& examples, const std::string& split) {
        RowEncoder rows(*data_.sourceTokenizer, maxLen_);
        EncodedCorpus corpus;
        for (std::size_t i = 0; i < examples.size(); ++i) {
            const Example& example = examples[i];
            switch (format_.kind) {
            case ExampleFormat::Kind::Class:
                rows.add(corpus, example);
                corpus.labels.push_back(classOf(example.label, split, i));
                break;
            case ExampleFormat::Kind::Number:
                rows.add(corpus, example);
                corpus.numbers.push_back(numberOf(example, split, i));
                break;
            case ExampleFormat::Kind::Tags: rows.addWords(corpus, example, tagsOf(example, split, i)); break;
            case ExampleFormat::Kind::Span: rows.addQuestion(corpus, example, stride_); break;
            }
            if (split != "train") keepTexts(corpus, example);
        }
        if (rows.cut() > 0)
            (split == "train" ? data_.notes : data_.warnings)
                .push_back(fmt::format("{}: {} of {} examples were cut to {} tokens (dims.max_len)", split, rows.cut(),
                                       examples.size(), maxLen_));
        if (rows.windowed() > 0)
            data_.notes.push_back(fmt::format("{}: {} of {} contexts are read in windows (data.stride): {} rows", split,
                                              rows.windowed(), examples.size(), corpus.size()));
        return corpus;
    }

private:
    std::int64_t classOf(const std::string& name, const std::string& split, std::size_t line) const {
        const auto found = std::find(data_.classes.begin(), data_.classes.end(), name);
        if (found != data_.classes.end()) return found - data_.classes.begin();
        throwInvalid(name.empty() ? std::string("an example has no label") : fmt::format("unknown class \"{}\"", name),
                     fmt::format("data.{}, example {}", split, line + 1),
                     name.empty() ? "a split without labels cannot be scored: leave it out and use heddle classify"
                                  : suggestion(name, data_.classes));
    }

    std::vector<std::int64_t> tagsOf(const Example& example, const std::string& split, std::size_t line) const {
        std::vector<std::int64_t> tags;
        for (const std::string& tag : example.tags) tags.push_back(classOf(tag, split, line));
        return tags;
    }

    void keepTexts(EncodedCorpus& corpus, const Example& example) const {
        std::string text = example.first;
        if (!example.second.empty()) text += " ⏎ " + example.second;
        if (format_.kind == ExampleFormat::Kind::Tags) {
            text = fmt::format("{}", fmt::join(example.words, " "));
            corpus.tags.push_back(example.tags);
        }
        const std::string tags = fmt::format("{}", fmt::join(example.tags, " "));
        corpus.sourceText.push_back(format_.kind == ExampleFormat::Kind::Span ? example.second : text);
        corpus.targetText.push_back(tags.empty() ? example.label : tags);
        if (format_.kind != ExampleFormat::Kind::Span) return;
        corpus.answers.emplace_back();
        for (const Example::Answer& answer : example.answers) corpus.answers.back().push_back(answer.text);
        corpus.targetText.back() = example.answers.empty() ? "" : example.answers.front().text;
    }

    const ExampleFormat& format_;
    RunData& data_;
    std::int64_t maxLen_, stride_;
};

}  // namespace

RunData loadExampleData(const LoadContext& context) {
    const DataSpec& spec = context.spec.data;
    const ExampleFormat format = formatOf(spec);
    requireTask(spec, taskOf(format.kind));
    RunData data;
    const SplitExamples splits = readSplits(context, data);
    const bool named = format.kind == ExampleFormat::Kind::Class || format.kind == ExampleFormat::Kind::Tags;
    if (named) {
        data.classes = classesOf(format, splits.train);
        requireClasses(context, data.classes);
    }
    addTokenizers(context, textsOf(splits.train), nullptr, data);
    ExampleEncoder encoder(context, format, data);
    data.train = encoder.encode(splits.train, "train");
    data.valid = encoder.encode(splits.valid, "valid");
    data.test = encoder.encode(splits.test, "test");
    return data;
}

}  // namespace heddle
