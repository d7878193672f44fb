// SPDX-License-Identifier: Apache-2.0
// What `heddle data inspect` found. Document (inspectDocument) and text (inspectText) are both made of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace heddle {

/// Nearest-rank quantiles and the mean of values.
template <class Value>
struct Summary {
    Value min{}, median{};
    double mean = 0;
    Value p95{}, max{};
};

using CountedWords = std::vector<std::pair<std::string, std::int64_t>>;

/// The lines of a file, or one side of its examples. Lengths count words.
struct SideReport {
    struct Bin {
        std::int64_t from = 0, to = 0;  ///< words a text, both ends included
        std::int64_t texts = 0;
    };
    struct LongText {
        std::int64_t number = 0, words = 0;  ///< from 1
        std::string text;                    ///< its beginning
    };
    std::int64_t words = 0;
    std::optional<Summary<std::int64_t>> length;  ///< nothing without texts
    std::vector<Bin> histogram;
    std::int64_t types = 0, once = 0, kept = 0;  ///< of the vocabulary; kept: those of at least min_count
    double coverage = 0;                         ///< share of the running words that are kept
    std::int64_t characters = 0, differentCharacters = 0, notAscii = 0;
    std::vector<LongText> longest;
    CountedWords frequent;
};

struct BalanceReport {
    struct Class {
        std::string label;
        std::int64_t count = 0;
        double share = 0;
    };
    std::vector<Class> classes;  ///< in the publisher's order, else sorted
    std::string majority;
    double majorityRate = 0;
};

/// A text, a wikitext or an .sgm test set.
struct LinesReport {
    struct Articles {
        std::int64_t documents = 0, headings = 0;
    };
    SideReport side;
    std::uint64_t bytes = 0;
    std::int64_t lines = 0, emptyLines = 0, duplicateLines = 0;
    std::int64_t tokensWithEos = 0;  ///< words and an <eos> a line, as task causal_lm counts them in blocks
    std::string split;
    std::optional<Articles> articles;  ///< of wikitext
};

// What examples are labelled with, by the kind of their format.
struct ClassReport {
    std::optional<BalanceReport> labels;  ///< nothing without labels
};
struct ScoreReport {
    std::optional<Summary<double>> scores;
};
struct TagReport {
    std::optional<BalanceReport> labels;
    CountedWords spans;  ///< by type
};
struct AnswerReport {
    std::optional<Summary<std::int64_t>> answers;  ///< to a question
    std::int64_t unanswered = 0;
};

struct ExamplesReport {
    struct Side {
        std::string name;
        std::int64_t empty = 0;  ///< texts without a word
        SideReport side;
    };
    std::string title;
    std::int64_t examples = 0, skipped = 0;
    std::string split;
    std::int64_t duplicates = 0, contradicting = 0;  ///< repeated examples; those of them with another label
    std::variant<ClassReport, ScoreReport, TagReport, AnswerReport> labels;
    std::vector<Side> sides;
};

/// IDX files.
struct ImageLabelsReport {
    std::int64_t examples = 0;
    std::optional<BalanceReport> labels;
};
struct ImagesReport {
    std::int64_t examples = 0, rows = 0, columns = 0, duplicates = 0;
    double mean = 0, deviation = 0, zeroShare = 0;  ///< of the pixels, as fractions of white
    std::int64_t greyLevels = 0;
};

struct VectorsReport {
    using Norms = std::vector<std::pair<std::string, double>>;  ///< by word
    std::string layout;
    std::int64_t words = 0, dim = 0, skipped = 0;
    std::optional<Summary<double>> norm;
    Norms shortest, longest;
    std::vector<std::string> firstWords;
};

struct FileReport {
    std::string path, sha256;
    std::string format, recognisedBy;
    std::vector<std::string> notes;
    std::variant<LinesReport, ExamplesReport, ImageLabelsReport, ImagesReport, VectorsReport> body;
};

struct TextPair {
    std::int64_t lines = 0, equalLines = 0, duplicatePairs = 0;
    std::optional<double> lengthRatio = {};  ///< target words for a source word
};
struct LabelledImages {
    std::int64_t images = 0;
};
struct Mismatch {
    std::string problem;
};

/// Two files that belong together, line by line or image by image.
struct PairReport {
    std::string source, target;
    std::variant<TextPair, LabelledImages, Mismatch> body;
};

/// Two splits of the same data.
struct SplitsReport {
    std::string a, b;
    std::int64_t linesOfBInA = 0, unknownWordsOfB = 0;
};

/// All files of examples of one format together.
struct TotalReport {
    std::string format;
    std::int64_t files = 0, examples = 0, skipped = 0, words = 0, types = 0, characters = 0, differentCharacters = 0;
};

struct DataReport {
    std::string split;
    bool lower = false;
    std::int64_t minCount = 0;
    std::vector<FileReport> files;
    std::vector<PairReport> pairs;
    std::vector<SplitsReport> splits;
    std::vector<TotalReport> totals;
};

}  // namespace heddle
