// SPDX-License-Identifier: Apache-2.0
#include "engine/data/inspect/inspect.h"

#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/suggestion.h"
#include "engine/data/inspect/inspect_statistics.h"
#include "engine/data/readers/corpus.h"
#include "engine/data/readers/recognise.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_set>

namespace heddle {
namespace {

using data_report::Inspected;

Inspected inspectLines(const std::string& path, const std::string& format, const InspectOptions& options) {
    Inspected result;
    Corpus corpus;
    if (format == "sgm")
        corpus.file = readTextOrSgm(path);
    else
        corpus = readCorpus(path, options.stopRequested);
    TextFile& file = corpus.file;
    result.count = static_cast<std::int64_t>(file.lines.size());
    const std::string split = data_report::splitFor(options.split, file.lines);
    result.side = data_report::countSide(std::move(file.lines), split, options);
    LinesReport lines;
    lines.side = data_report::describeSide(result.side, options);
    lines.bytes = file.bytes;
    lines.lines = result.count;
    lines.emptyLines = std::count(result.side.lengths.begin(), result.side.lengths.end(), 0);
    lines.duplicateLines = data_report::duplicates(result.side.texts);
    lines.tokensWithEos = lines.side.words + lines.lines;
    lines.split = split;
    if (format == "wikitext") lines.articles = {std::ssize(corpus.documentBegin), corpus.headings};
    result.report.sha256 = file.sha256;
    result.report.notes = file.notes;
    result.report.body = std::move(lines);
    return result;
}

Inspected inspectOne(const std::string& path, const InspectOptions& options) {
    RecognisedFormat format = options.format == "auto" ? recogniseFormat(path) : RecognisedFormat{options.format, "--format"};
    Inspected result = format.id == "idx"       ? data_report::inspectIdx(path)
                       : format.id == "vectors" ? data_report::inspectVectors(path, options)
                       : format.id == "text" || format.id == "sgm" || format.id == "wikitext"
                           ? inspectLines(path, format.id, options)
                           : data_report::inspectExamples(path, format.id, options);
    result.report.path = path;
    result.report.format = format.id;
    result.report.recognisedBy = format.by;
    return result;
}

/// "dir/train.en.gz" → {"dir/train", "en"}; WMT's "newstest-src.en.sgm" → {"newstest", "en"}.
std::pair<std::string, std::string> stemAndLanguage(std::string path) {
    for (const std::string ending : {".gz", ".sgm"})
        if (path.ends_with(ending)) path.resize(path.size() - ending.size());
    const std::size_t dot = path.rfind('.');
    const std::size_t slash = path.rfind('/');
    if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) return {path, ""};
    std::string stem = path.substr(0, dot);
    if (stem.ends_with("-src") || stem.ends_with("-ref")) stem.resize(stem.size() - 4);
    return {stem, path.substr(dot + 1)};
}

PairReport describePair(const Inspected& source, const Inspected& target) {
    PairReport pair{source.report.path, target.report.path, {}};
    if (source.count != target.count) {
        pair.body = Mismatch{fmt::format("the source has {} lines, the target {}", source.count, target.count)};
        return pair;
    }
    TextPair texts{source.count, 0, 0, {}};
    std::vector<std::string> both;
    for (std::size_t i = 0; i < source.side.texts.size(); ++i) {
        texts.equalLines += source.side.texts[i] == target.side.texts[i] ? 1 : 0;
        both.push_back(source.side.texts[i] + '\n' + target.side.texts[i]);
    }
    const std::int64_t sourceWords = source.side.wordTotal(), targetWords = target.side.wordTotal();
    if (sourceWords > 0) texts.lengthRatio = static_cast<double>(targetWords) / static_cast<double>(sourceWords);
    texts.duplicatePairs = data_report::duplicates(both);
    pair.body = texts;
    return pair;
}

SplitsReport describeSplits(const Inspected& a, const Inspected& b, std::int64_t minCount) {
    const std::unordered_set<std::string_view> known(a.side.texts.begin(), a.side.texts.end());
    const auto repeated = std::count_if(b.side.texts.begin(), b.side.texts.end(),
                                        [&](const std::string& line) { return !line.empty() && known.contains(line); });
    std::int64_t unknown = 0;
    for (const auto& [word, count] : b.side.words) {
        const auto found = a.side.words.find(word);
        if (found == a.side.words.end() || found->second < minCount) unknown += count;
    }
    return {a.report.path, b.report.path, repeated, unknown};
}

/// The part of an MNIST file name before "-images" or "-labels".
std::string idxStem(const std::string& path) { return path.substr(0, std::min(path.rfind("-images"), path.rfind("-labels"))); }

PairReport describeImagePair(const Inspected& images, const Inspected& labels) {
    PairReport pair{images.report.path, labels.report.path, LabelledImages{images.count}};
    if (images.count != labels.count)
        pair.body = Mismatch{fmt::format("there are {} images and {} labels", images.count, labels.count)};
    return pair;
}

template <class Body>
bool holds(const Inspected& file) {
    return std::holds_alternative<Body>(file.report.body);
}

/// Adds the comparison of two of `files` files to the report if they are related.
void compare(const Inspected& a, const Inspected& b, std::size_t files, DataReport& report) {
    const std::string &path = a.report.path, &other = b.report.path;
    if (holds<LinesReport>(a) && holds<LinesReport>(b)) {
        const auto first = stemAndLanguage(path), second = stemAndLanguage(other);
        const bool onlyTwo = files == 2 && a.count == b.count;
        if ((first.first == second.first && first.second != second.second) || onlyTwo)
            report.pairs.push_back(describePair(a, b));
        else if (first.second == second.second)
            report.splits.push_back(describeSplits(a, b, report.minCount));
    } else if (holds<ExamplesReport>(a) && holds<ExamplesReport>(b) && a.report.format == b.report.format) {
        report.splits.push_back(describeSplits(a, b, report.minCount));
    } else if ((holds<ImagesReport>(a) && holds<ImageLabelsReport>(b)) ||
               (holds<ImageLabelsReport>(a) && holds<ImagesReport>(b))) {
        if (idxStem(path) == idxStem(other) || files == 2)
            report.pairs.push_back(holds<ImagesReport>(a) ? describeImagePair(a, b) : describeImagePair(b, a));
    }
}

/// Totals over all example files of a format, as in a paper's table of data sets.
std::vector<TotalReport> describeTotals(const std::vector<Inspected>& all) {
    struct Total {
        std::int64_t files = 0, examples = 0, skipped = 0, words = 0, characters = 0;
        std::unordered_set<std::string_view> types, distinct;
    };
    std::map<std::string, Total> totals;
    for (const Inspected& file : all) {
        if (!holds<ExamplesReport>(file)) continue;
        Total& total = totals[file.report.format];
        ++total.files;
        total.examples += file.count;
        total.skipped += file.skipped;
        total.words += file.side.wordTotal();
        total.characters += file.side.characterTotal;
        for (const auto& [word, count] : file.side.words) total.types.insert(word);
        total.distinct.insert(file.side.characters.begin(), file.side.characters.end());
    }
    std::vector<TotalReport> list;
    for (const auto& [format, total] : totals)
        if (total.files > 1)
            list.push_back({format, total.files, total.examples, total.skipped, total.words, std::ssize(total.types),
                            total.characters, std::ssize(total.distinct)});
    return list;
}

}  // namespace

DataReport inspectFiles(const std::vector<std::string>& paths, const InspectOptions& options) {
    const std::vector<std::string> known = dataFormats();
    if (options.format != "auto" && !contains(known, options.format))
        throwInvalid("unknown format \"" + options.format + "\"", "--format", suggestion(options.format, known));
    std::vector<Inspected> all;
    for (const std::string& path : paths) all.push_back(inspectOne(path, options));

    DataReport report{options.split, options.lower, options.minCount, {}, {}, {}, describeTotals(all)};
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = i + 1; j < all.size(); ++j) compare(all[i], all[j], all.size(), report);
    for (Inspected& file : all) report.files.push_back(std::move(file.report));
    return report;
}

}  // namespace heddle
