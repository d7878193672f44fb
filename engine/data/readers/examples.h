// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/run_spec.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle {

/// One example of a task with labels, as its publisher wrote it. Only what its format has is filled.
struct Example {
    std::string id;                        ///< the publisher's own (GLUE's index, SQuAD's id); empty: none
    std::string first, second;             ///< the texts; for a span the question, then the context
    std::string label;                     ///< class as the file names it, or a number; empty in files without labels
    std::vector<std::string> words, tags;  ///< one tag a word, BIO
    struct Answer {
        std::int64_t begin = 0;  ///< in `second`, in characters (code points) from 0
        std::string text;
    };
    std::vector<Answer> answers;  ///< every one counts as right; empty: the question has none
};

/// What a file of examples holds; a value of data.format.
struct ExampleFormat {
    std::string id;     ///< "glue/mrpc", "snli", "clue/tnews", "conll", "squad", "tsv", "csv", …
    std::string title;  ///< for people
    enum class Kind { Class, Number, Tags, Span } kind = Kind::Class;
    bool pairs = false;                ///< `second` is filled
    std::vector<std::string> classes;  ///< in the publisher's order; empty: those of the training file, sorted
    std::vector<std::string> metrics;  ///< the publisher's own, the first decides: "matthews", "accuracy", "f1", "pearson", …
    std::string reference;             ///< who fixed the format
};

/// All formats, in the order of their ids.
const std::vector<ExampleFormat>& exampleFormats();
/// Throws Error(InvalidInput) with the nearest id for an unknown one.
const ExampleFormat& exampleFormat(const std::string& id);
/// Whether a format is a user's own table, whose columns data.columns names: tsv, csv, jsonl, and the same with "/pairs".
bool isOwnTable(const std::string& id);

/// What to do with a line that is not of the format.
enum class OnBadLine { Stop, Skip };

/// What the labels of a user's own table are; a publisher's format knows it itself.
enum class LabelKind { AsFormat, Numbers };

struct ReadExamplesOptions {
    std::string format;
    OnBadLine onBadLine = OnBadLine::Stop;
    std::function<bool()> stopRequested = {};  ///< asked now and then; may be empty
    ColumnNames columns = {};                  ///< of a user's own table
    LabelKind labels = LabelKind::AsFormat;
};

struct ExampleFile {
    std::string path, sha256;  ///< of the contents, after gunzip
    std::vector<Example> examples;
    std::int64_t skipped = 0;        ///< lines left out; the first few are among the notes
    std::vector<std::string> notes;  ///< what was taken off or left out
};

/// Reads a file, plain or gzip, line by line. Throws Error(InvalidInput) with file, line, column and a safe excerpt (control
/// characters shown as escapes, at most 60 characters) for a line that is not of the format, unless such lines are skipped.
ExampleFile readExamples(const std::string& path, const ReadExamplesOptions& options);

}  // namespace heddle
