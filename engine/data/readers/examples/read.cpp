// SPDX-License-Identifier: Apache-2.0
#include "engine/base/error.h"
#include "engine/data/readers/examples/line_parser.h"
#include "engine/data/readers/text_file.h"

#include <fmt/format.h>

namespace heddle {
namespace {

void noteFurther(ExampleFile& file, std::int64_t skipped) {
    if (skipped > examples::kNotedLines)
        file.notes.push_back(fmt::format("… and {} more lines were left out", skipped - examples::kNotedLines));
}

}  // namespace

ExampleFile readExamples(const std::string& path, const ReadExamplesOptions& options) {
    ExampleFormat format = exampleFormat(options.format);
    if (options.labels == LabelKind::Numbers && format.kind == ExampleFormat::Kind::Class)
        format.kind = ExampleFormat::Kind::Number;
    format.pairs = format.pairs || (isOwnTable(format.id) && !options.columns.second.empty());
    const examples::Reader& reader = examples::readerOf(format.id);
    if (const auto* readDocument = std::get_if<examples::ReadDocument>(&reader)) {
        ExampleFile file = (*readDocument)(options, path);
        noteFurther(file, file.skipped);
        return file;
    }
    ExampleFile file;
    file.path = path;
    const auto parser = std::get<examples::MakeParser>(reader)(format, options.columns, file);
    LineOptions lines{options.stopRequested, {}};
    if (options.onBadLine == OnBadLine::Skip)
        lines.onBadLine = [&](const Error& error, std::int64_t /*number*/) {
            if (!parser->ready()) throw Error(error);
            examples::skipOrThrow(error, OnBadLine::Skip, file);
        };
    std::int64_t blank = 0;
    const TextFile text = forEachLine(
        path,
        [&](std::string_view line, std::int64_t number) {
            if (line.empty() && !parser->wantsEmptyLines())
                ++blank;
            else
                parser->take({path, number, line});
        },
        lines);
    const std::int64_t skipped = file.skipped;
    parser->finish();
    noteFurther(file, skipped);
    if (blank > 0) file.notes.push_back(fmt::format("{}: {} empty lines", path, blank));
    if (file.examples.empty()) file.notes.push_back(path + ": holds no examples");
    file.sha256 = text.sha256;
    file.notes.insert(file.notes.begin(), text.notes.begin(), text.notes.end());
    return file;
}

}  // namespace heddle
