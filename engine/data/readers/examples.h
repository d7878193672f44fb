// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/run_spec.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle {

/// One labelled example as published. Only the fields of its format are filled.
struct Example {
    std::string id;                        ///< the publisher's own (GLUE's index, SQuAD's id); empty: none
    std::string first, second;             ///< the texts; for a span the question, then the context
    std::string label;                     ///< class name as in the file, or a number; empty in files without labels
    std::vector<std::string> words, tags;  ///< one BIO tag per word
    struct Answer {
        std::int64_t begin = 0;  ///< in `second`, in characters (code points) from 0
        std::string text;
    };
    std::vector<Answer> answers;  ///< all accepted answers; empty: unanswerable
};

/// A file format of examples; a value of data.format.
struct ExampleFormat {
    std::string id;     ///< "glue/mrpc", "snli", "clue/tnews", "conll", "squad", "tsv", "csv", …
    std::string title;  ///< for people
    enum class Kind { Class, Number, Tags, Span } kind = Kind::Class;
    bool pairs = false;                ///< `second` is filled
    std::vector<std::string> classes;  ///< in the publisher's order; empty: those of the training file, sorted
    /// The publisher's metrics, the primary one first: "matthews", "accuracy", "f1", "pearson", …
    std::vector<std::string> metrics;
    std::string reference;  ///< publication of the format
};

/// All formats, in the order of their ids.
const std::vector<ExampleFormat>& exampleFormats();
/// Throws Error(InvalidInput) with the nearest id for an unknown one.
const ExampleFormat& exampleFormat(const std::string& id);
/// Whether a format is a user's table with columns named by data.columns: tsv, csv, jsonl, also with "/pairs".
bool isOwnTable(const std::string& id);

/// The kind of labels of a user's table; publishers' formats define it.
enum class LabelKind { AsFormat, Numbers };

struct ReadExamplesOptions {
    std::string format;
    OnBadLine onBadLine = OnBadLine::Stop;
    std::function<bool()> stopRequested = {};  ///< polled; may be empty
    ColumnNames columns = {};                  ///< of a user's own table
    LabelKind labels = LabelKind::AsFormat;
};

struct ExampleFile {
    std::string path, sha256;  ///< of the contents, after gunzip
    std::vector<Example> examples;
    std::int64_t skipped = 0;        ///< lines skipped; the notes list the first few
    std::vector<std::string> notes;  ///< what was removed or skipped
};

/// Reads a file, plain or gzip, line by line. Throws Error(InvalidInput) with file, line, column and a safe excerpt (control
/// characters escaped, at most 60 characters) for a malformed line, unless such lines are skipped.
ExampleFile readExamples(const std::string& path, const ReadExamplesOptions& options);

}  // namespace heddle
