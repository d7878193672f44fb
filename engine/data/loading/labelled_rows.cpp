// SPDX-License-Identifier: Apache-2.0
#include "engine/data/loading/labelled_rows.h"

#include "engine/base/check.h"
#include "engine/base/error.h"
#include "engine/base/suggestion.h"
#include "engine/data/readers/generated.h"
#include "engine/data/readers/label_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace heddle {
namespace {

using Kind = ExampleFormat::Kind;

/// The format of files or of generated examples. A user's table has labels of the kind that the task wants.
ExampleFormat formatOf(const std::string& id, Kind wanted) {
    if (!isGenerated(id)) {
        ExampleFormat format = exampleFormat(id);
        if (isOwnTable(id) && wanted == Kind::Number) format.kind = wanted;
        return format;
    }
    const GeneratedFormat& generated = generatedFormat(id);
    ExampleFormat format;
    format.id = generated.id;
    format.title = generated.summary;
    format.kind = taskKind(generated.task).target == TaskKind::Target::Tags ? Kind::Tags : Kind::Class;
    format.classes = generated.classes;
    return format;
}

TaskKind::Target targetOf(Kind kind) {
    switch (kind) {
    case Kind::Class: return TaskKind::Target::Class;
    case Kind::Number: return TaskKind::Target::Number;
    case Kind::Tags: return TaskKind::Target::Tags;
    case Kind::Span: return TaskKind::Target::Span;
    }
    return TaskKind::Target::Class;
}

/// The task of texts with such labels.
const TaskKind& taskOf(Kind kind) {
    const auto& kinds = taskKinds();
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const TaskKind& task) {
        return task.input == TaskKind::Input::Text && task.target == targetOf(kind);
    });
    HEDDLE_CHECK(found != kinds.end());
    return *found;
}

/// Encodes the examples of one split.
EncodedCorpus encodeSplit(const LoadContext& context, const LabelEncoder& encoder, const std::vector<Example>& examples,
                          const std::string& split, RunData& data) {
    RowEncoder rows(*data.sourceTokenizer, context.maxLen);
    EncodedCorpus corpus;
    for (std::size_t i = 0; i < examples.size(); ++i) {
        encoder.add(examples[i], {split, i + 1}, rows, corpus);
        if (split != "train") encoder.keepTexts(examples[i], corpus);
    }
    if (rows.cut() > 0)
        data.noteOrWarn(split, fmt::format("{}: {} of {} examples were cut to {} tokens (dims.max_len)", split, rows.cut(),
                                           examples.size(), context.maxLen));
    if (rows.longAnswers() > 0)
        data.warnings.push_back(
            {split, fmt::format("{}: the answers to {} of {} questions are longer than the {} tokens that are given", split,
                                rows.longAnswers(), examples.size(), longestAnswer(*data.sourceTokenizer))});
    if (rows.wider() > 0)
        data.notes.push_back(fmt::format("{}: {} of {} answers begin or end within a token, which is given as a whole", split,
                                         rows.wider(), examples.size()));
    if (rows.closer() > 0)
        data.warnings.push_back(
            {split,
             fmt::format(
                 "{}: data.stride {} is more than half of what a row has room for: the windows of {} of {} contexts lie closer",
                 split, context.spec.data.stride, rows.closer(), examples.size())});
    if (rows.windowed() > 0)
        data.notes.push_back(fmt::format("{}: {} of {} contexts are read in windows (data.stride): {} rows", split,
                                         rows.windowed(), examples.size(), corpus.size()));
    return corpus;
}

}  // namespace

std::string ExamplePlace::text() const { return fmt::format("data.{}, example {}", split, number); }

void LabelEncoder::keepTexts(const Example& example, EncodedCorpus& corpus) const {
    corpus.sourceText.push_back(example.second.empty() ? example.first : example.first + " ⏎ " + example.second);
    corpus.targetText.push_back(example.label);
}

RunData loadLabelledRows(const LoadContext& context, ExampleFormat::Kind kind, const MakeLabelEncoder& makeEncoder) {
    const ExampleFormat format = formatOf(context.spec.data.format, kind);
    if (format.kind != kind) throwOtherTask(context.spec.data, taskOf(format.kind).id);
    return loadRows(context, [&] {
        RunData data;
        const SplitExamples splits = readSplits(context, data);
        const auto encoder = makeEncoder(format, splits.train, data);
        addTokenizers(context, textsOf(splits.train), nullptr, data);
        data.train = encodeSplit(context, *encoder, splits.train, "train", data);
        data.valid = encodeSplit(context, *encoder, splits.valid, "valid", data);
        data.test = encodeSplit(context, *encoder, splits.test, "test", data);
        return data;
    });
}

std::vector<std::string> classesOf(const ExampleFormat& format, const std::vector<Example>& train,
                                   const std::optional<std::int64_t>& stated) {
    std::vector<std::string> classes = format.classes;
    if (classes.empty()) {
        std::set<std::string> names;
        for (const Example& example : train) names.insert(example.tags.begin(), example.tags.end());
        for (const auto& label : labelSpellings(train)) names.insert(className(label));
        classes.assign(names.begin(), names.end());
    }
    if (!stated || *stated == std::ssize(classes)) return classes;
    throwInvalid(
        fmt::format("the data have {} classes, but the model has {}", classes.size(), *stated), "variant, dims.classes",
        fmt::format("set dims.classes to from_data, or to {} ({}){}", classes.size(),
                    fmt::join(classes.begin(), classes.begin() + std::min<std::ptrdiff_t>(20, std::ssize(classes)), ", "),
                    classes.size() == 2 && *stated == 1 ? ", or set train.loss to hinge (one output for two classes)" : ""));
}

std::int64_t classNumber(const std::vector<std::string>& classes, const std::string& name, const ExamplePlace& place) {
    const auto found = std::find(classes.begin(), classes.end(), name);
    if (found != classes.end()) return found - classes.begin();
    if (!name.empty()) {
        const auto same = std::find_if(classes.begin(), classes.end(), [plain = plainLabel(name)](const std::string& known) {
            return plainLabel(known) == plain;
        });
        if (same != classes.end()) return same - classes.begin();
    }
    throwInvalid(name.empty() ? std::string("example without a label") : fmt::format("unknown class \"{}\"", name),
                 place.text(),
                 name.empty() ? "remove the split and use heddle classify, since unlabelled examples cannot be scored"
                              : suggestion(name, classes));
}

}  // namespace heddle
