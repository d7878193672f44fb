// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/documents.h"
#include "app/cli/input_lines.h"
#include "app/cli/open_run.h"
#include "app/cli/write_file.h"
#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/base/table_cell.h"
#include "engine/data/readers/examples.h"
#include "engine/data/readers/idx.h"
#include "engine/data/readers/submissions.h"
#include "engine/spec/data_files.h"
#include "engine/spec/task_kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <ostream>

namespace heddle::app {
namespace {

constexpr std::size_t kExamplesAtOnce = 256;

struct ClassifyOptions {
    ModelChoice model;
    std::string text, file, format, part, predictions;
};

std::vector<Labelled> classifyAll(InferenceSession& session, const std::vector<Unlabelled>& examples) {
    std::vector<Labelled> labels;
    for (std::size_t first = 0; first < examples.size(); first += kExamplesAtOnce) {
        const auto last = std::min(examples.size(), first + kExamplesAtOnce);
        const auto some = session.classify(
            {examples.begin() + static_cast<std::ptrdiff_t>(first), examples.begin() + static_cast<std::ptrdiff_t>(last)});
        labels.insert(labels.end(), some.begin(), some.end());
    }
    return labels;
}

/// Number of texts of an example of the run; nothing if unknown (generated data).
std::optional<int> textsOf(const DataSpec& data) {
    if (isGenerated(data.format) || taskKind(data.task).target == TaskKind::Target::Tags) return std::nullopt;
    return exampleFormat(data.format).pairs || !data.columns.second.empty() ? 2 : 1;
}

/// Parses a line: one text, or two separated by a tab, as the run's examples have.
Unlabelled exampleOf(const std::string& line, std::size_t number, std::optional<int> texts) {
    const auto tab = line.find('\t');
    const int given = tab == std::string::npos ? 1 : 2;
    if (texts && given != *texts)
        throwInvalid(
            given == 1 ? "the run expects pairs of texts, but this is a single text"
                       : "the run expects single texts, but this is a pair",
            "line " + std::to_string(number),
            given == 1 ? "separate the two texts by a tab" : "replace the tab by a space, or use a run trained on pairs");
    if (given == 1) return {line, "", {}, {}};
    return {line.substr(0, tab), line.substr(tab + 1), {}, {}};
}

/// A table with one row per example: its number from 1, its texts, its label if any, the prediction, and the probability of
/// every class.
std::string predictionsTable(const std::vector<Example>& examples, const std::vector<Labelled>& labels,
                             const std::vector<std::string>& classes) {
    const bool pairs = std::any_of(examples.begin(), examples.end(), [](const Example& e) { return !e.second.empty(); });
    const bool hasLabels = std::any_of(examples.begin(), examples.end(), [](const Example& e) { return !e.label.empty(); });
    const bool hasShares = !labels.empty() && !labels.front().probabilities.empty();
    std::string table = fmt::format("example\ttext{}{}\tprediction", pairs ? "\tsecond" : "", hasLabels ? "\tlabel" : "");
    if (hasShares)
        for (const std::string& name : classes) table += "\t" + tableCell("p:" + name);
    table += "\n";
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const Example& example = examples[i];
        const std::string text = example.words.empty() ? example.first : fmt::format("{}", fmt::join(example.words, " "));
        table += fmt::format("{}\t{}", i + 1, tableCell(text));
        if (pairs) table += "\t" + tableCell(example.second);
        if (hasLabels) table += "\t" + tableCell(example.label);
        table += "\t" + tableCell(labels[i].label);
        for (const float share : labels[i].probabilities) table += fmt::format("\t{:.6f}", share);
        table += "\n";
    }
    return table;
}

int classifyLines(const ClassifyOptions& options, const OpenedRun& opened, const Context& context) {
    std::vector<std::string> lines;
    std::vector<Unlabelled> examples;
    const std::optional<int> texts = textsOf(opened.spec.data);
    forEachLine(context, options.text, [&](const std::string& line) {
        lines.push_back(line);
        examples.push_back(exampleOf(line, lines.size(), texts));
    });
    const auto labels = classifyAll(*opened.session, examples);
    const std::vector<std::string> classes = opened.session->classNames();
    Json all = Json::array();
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (context.json)
            all.push_back({{"text", lines[i]},
                           {"label", labels[i].label},
                           {"probabilities", probabilitiesDocument(classes, labels[i].probabilities)}});
        else
            context.lines << labels[i].label << "\n";
    }
    if (context.json)
        context.print({{"schema", "heddle.labels/1"}, {"run", opened.run}, {"step", opened.step}, {"lines", all}});
    return 0;
}

/// Classifies the images of an IDX file, one class per line.
int classifyImages(const ClassifyOptions& options, const OpenedRun& opened, const Context& context) {
    if (options.file.empty())
        throw Error(ErrorCode::Usage, "the run reads images, not texts", "--run", "give a file of images (IDX) with --file");
    const IdxImages images = readIdxImages(options.file);
    const std::int64_t size = images.rows * images.columns;
    std::vector<Unlabelled> examples(static_cast<std::size_t>(images.count));
    for (std::size_t i = 0; i < examples.size(); ++i) {
        const auto first = images.pixels.begin() + static_cast<std::ptrdiff_t>(i) * size;
        examples[i].pixels.assign(first, first + size);
        examples[i].height = images.rows;
        examples[i].width = images.columns;
    }
    const auto labels = classifyAll(*opened.session, examples);
    if (context.json) {
        Json names = Json::array();
        for (const Labelled& one : labels) names.push_back(one.label);
        context.print({{"schema", "heddle.labels/1"}, {"run", opened.run}, {"step", opened.step}, {"images", names}});
    } else {
        for (const Labelled& one : labels) context.lines << one.label << "\n";
    }
    return 0;
}

/// The submission file for a publisher's server.
SubmissionFile submissionOf(const SubmissionRequest& form, const ExampleFile& file, const std::vector<Labelled>& labels,
                            bool areNumbers) {
    SubmissionRequest request = form;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        Prediction prediction{file.examples[i].id, labels[i].label, std::nullopt};
        if (areNumbers) prediction.value = std::stod(labels[i].label);
        request.predictions.push_back(std::move(prediction));
    }
    return submissionFile(request);
}

/// Classifies a file of examples: one label per line, or the submission file for a publisher's test file; with --predictions
/// a table in a file instead, or of answers what the publisher's script reads.
int classifyFile(const ClassifyOptions& options, const OpenedRun& opened, const Context& context) {
    const DataSpec& data = opened.spec.data;
    const std::string format = options.format.empty() ? data.format : options.format;
    const bool areNumbers = taskKind(data.task).target == TaskKind::Target::Number;
    // A file of the user needs no labels; where it has numbers as labels, they are checked.
    const ExampleFile file = readExamples(
        options.file, {format, OnBadLine::Stop, {}, data.columns, areNumbers ? LabelKind::Numbers : LabelKind::AsFormat});
    for (const std::string& note : file.notes) context.err << printable(note) << "\n";
    std::vector<Unlabelled> examples;
    for (const Example& example : file.examples) examples.push_back({example.first, example.second, example.words, {}});
    const auto labels = classifyAll(*opened.session, examples);
    SubmissionFile submission;
    const std::vector<std::string> known = submissionFormats();
    const bool isPublishers = contains(known, format);
    if (isPublishers) submission = submissionOf({format, options.part, {}}, file, labels, areNumbers);
    if (!submission.notice.empty()) context.err << submission.notice << "\n";
    if (!options.predictions.empty()) {
        // Answers are scored by the publisher's script, of whichever file: what it reads is the file of predictions.
        const bool areAnswers = exampleFormat(format).kind == ExampleFormat::Kind::Span;
        writeFile(options.predictions,
                  areAnswers ? submission.contents : predictionsTable(file.examples, labels, opened.session->classNames()));
        context.err << fmt::format("{} predictions in {}\n", labels.size(), printable(options.predictions));
    } else if (isPublishers) {
        context.lines << submission.contents;
    } else {
        for (const Labelled& one : labels) context.lines << one.label << "\n";
    }
    return 0;
}

int classify(const ClassifyOptions& options, const Context& context) {
    if (options.file.empty() && !options.predictions.empty())
        throw Error(ErrorCode::Usage, "no file to predict", "--predictions", "give a file of examples with --file");
    if (options.file.empty() && !options.format.empty())
        throw Error(ErrorCode::Usage, "--format needs a file", "--format", "give the publisher's test file with --file");
    const OpenedRun opened = openRun(options.model, context);
    if (taskKind(opened.spec.data.task).input == TaskKind::Input::Image) return classifyImages(options, opened, context);
    return options.file.empty() ? classifyLines(options, opened, context) : classifyFile(options, opened, context);
}

}  // namespace

void addClassify(CommandBuilder& root) {
    auto o = std::make_shared<ClassifyOptions>();
    auto command = root.command("classify", "Label texts with a trained run: one line out for each line in");
    addModelOptions(command, o->model);
    command
        .option("--file", o->file, "FILE",
                "A file of examples: a label a line; of a publisher's test file what its server takes. Of an image run: images "
                "(IDX)")
        .option("--predictions", o->predictions, "OUT",
                "Write a table of that file's examples there: texts, label, prediction, probability of every class (TSV); of "
                "squad the JSON that its official scripts read, {\"id\": \"answer\"}")
        .option("--format", o->format, "FORMAT",
                "Format of the file: glue/mrpc, clue/tnews, … (default: that of the run's training data)")
        .option("--part", o->part, "PART", "glue/mnli: m or mm; clue/tnews, clue/wsc: 10 or 11")
        .text(o->text, "A text, or two with a tab between them")
        .examples(
            "heddle classify --run cola 'the boy sleeps'\n"
            "heddle classify --run mrpc --file test.tsv > MRPC.tsv\n"
            "heddle classify --run reviews --file own.tsv --predictions predicted.tsv\n"
            "heddle classify --run tnews --file test.json > tnews10_predict.json\n"
            "heddle classify --run mnist --file t10k-images-idx3-ubyte.gz")
        .action([o](Context& context) { return classify(*o, context); });
}

}  // namespace heddle::app
