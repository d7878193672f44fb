// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/input_lines.h"
#include "app/cli/open_run.h"
#include "engine/data/examples.h"
#include "engine/data/idx.h"
#include "engine/data/submissions.h"
#include "engine/spec/error.h"

#include <ostream>

namespace heddle::app {
namespace {

constexpr std::size_t kExamplesAtOnce = 256;

struct ClassifyOptions {
    ModelChoice model;
    std::string text, file, format, part;
};

std::vector<std::string> classifyAll(InferenceSession& session, const std::vector<Unlabelled>& examples) {
    std::vector<std::string> labels;
    for (std::size_t first = 0; first < examples.size(); first += kExamplesAtOnce) {
        const auto last = std::min(examples.size(), first + kExamplesAtOnce);
        const auto some = session.classify(
            {examples.begin() + static_cast<std::ptrdiff_t>(first), examples.begin() + static_cast<std::ptrdiff_t>(last)});
        labels.insert(labels.end(), some.begin(), some.end());
    }
    return labels;
}

/// A line of text: one text, or two with a tab between them.
Unlabelled exampleOf(const std::string& line) {
    const auto tab = line.find('\t');
    if (tab == std::string::npos) return {line, "", {}, {}};
    return {line.substr(0, tab), line.substr(tab + 1), {}, {}};
}

int classifyLines(const ClassifyOptions& options, const OpenedRun& opened, const Context& context) {
    std::vector<std::string> lines;
    std::vector<Unlabelled> examples;
    forEachLine(context, options.text, [&](const std::string& line) {
        lines.push_back(line);
        examples.push_back(exampleOf(line));
    });
    const auto labels = classifyAll(*opened.session, examples);
    Json all = Json::array();
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (context.json)
            all.push_back({{"text", lines[i]}, {"label", labels[i]}});
        else
            context.lines << labels[i] << "\n";
    }
    if (context.json)
        context.print({{"schema", "heddle.labels/1"}, {"run", opened.run}, {"step", opened.step}, {"lines", all}});
    return 0;
}

/// Images of an IDX file → one class a line.
int classifyImages(const ClassifyOptions& options, const OpenedRun& opened, const Context& context) {
    if (options.file.empty())
        throw Error(ErrorCode::Usage, "the run reads images, not texts", "--run", "name a file of images (IDX) with --file");
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
        context.print({{"schema", "heddle.labels/1"}, {"run", opened.run}, {"step", opened.step}, {"images", labels}});
    } else {
        for (const std::string& label : labels) context.lines << label << "\n";
    }
    return 0;
}

/// A publisher's test file → the file that the publisher's server takes.
int classifyFile(const ClassifyOptions& options, const OpenedRun& opened, const Context& context) {
    const std::string format = options.format.empty() ? opened.spec.data.format : options.format;
    const ExampleFile file = readExamples(options.file, {format, OnBadLine::Stop, {}});
    std::vector<Unlabelled> examples;
    for (const Example& example : file.examples) examples.push_back({example.first, example.second, example.words, {}});
    const auto labels = classifyAll(*opened.session, examples);
    SubmissionRequest request{format, options.part, {}};
    for (std::size_t i = 0; i < labels.size(); ++i) {
        Prediction prediction{file.examples[i].id, labels[i], std::nullopt};
        if (opened.spec.data.task == "regress") prediction.value = std::stod(labels[i]);
        request.predictions.push_back(std::move(prediction));
    }
    const SubmissionFile submission = submissionFile(request);
    if (!submission.notice.empty()) context.err << submission.notice << "\n";
    context.lines << submission.contents;
    return 0;
}

int classify(const ClassifyOptions& options, const Context& context) {
    if (options.file.empty() && !options.format.empty())
        throw Error(ErrorCode::Usage, "a format of what file?", "--format", "name the publisher's test file with --file");
    const OpenedRun opened = openRun(options.model, context);
    if (opened.spec.data.task == "image") return classifyImages(options, opened, context);
    return options.file.empty() ? classifyLines(options, opened, context) : classifyFile(options, opened, context);
}

}  // namespace

void addClassify(CommandBuilder& root) {
    auto o = std::make_shared<ClassifyOptions>();
    auto command = root.command("classify", "Label texts with a trained run: one line out for each line in");
    addModelOptions(command, o->model);
    command
        .option("--file", o->file, "FILE",
                "A publisher's test file; writes what the publisher's server takes. Of an image run: images (IDX)")
        .option("--format", o->format, "FORMAT", "Of that file: glue/mrpc, clue/tnews, … (default: as the run was trained)")
        .option("--part", o->part, "PART", "glue/mnli: m or mm; clue/tnews, clue/wsc: 10 or 11")
        .positional("TEXT", o->text, "A text, or two with a tab between them; without it, or for -, lines of standard input",
                    CommandBuilder::Need::Optional)
        .examples(
            "heddle classify --run cola 'the boy sleeps'\n"
            "heddle classify --run mrpc --file test.tsv > MRPC.tsv\n"
            "heddle classify --run tnews --file test.json > tnews10_predict.json\n"
            "heddle classify --run mnist --file t10k-images-idx3-ubyte.gz")
        .action([o](Context& context) { return classify(*o, context); });
}

}  // namespace heddle::app
