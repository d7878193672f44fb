// SPDX-License-Identifier: Apache-2.0
#include "engine/data/inspect/inspect.h"

#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
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
    result.description = data_report::describeSide(result.side, options, "line");
    result.description.update({{"bytes", file.bytes},
                               {"sha256", file.sha256},
                               {"notes", file.notes},
                               {"lines", result.count},
                               {"split", split},
                               {"tokens_with_eos", result.side.wordTotal() + result.count},
                               {"empty_lines", std::count(result.side.lengths.begin(), result.side.lengths.end(), 0)},
                               {"duplicate_lines", data_report::duplicates(result.side.texts)}});
    if (format == "wikitext")
        result.description.update({{"documents", corpus.documentBegin.size()}, {"headings", corpus.headings}});
    return result;
}

Inspected inspectOne(const std::string& path, const InspectOptions& options) {
    RecognisedFormat format = options.format == "auto" ? recogniseFormat(path) : RecognisedFormat{options.format, "--format"};
    Inspected result = format.id == "idx"       ? data_report::inspectIdx(path)
                       : format.id == "vectors" ? data_report::inspectVectors(path, options)
                       : format.id == "text" || format.id == "sgm" || format.id == "wikitext"
                           ? inspectLines(path, format.id, options)
                           : data_report::inspectExamples(path, format.id, options);
    result.path = path;
    result.format = format.id;
    result.description.update({{"path", path}, {"format", format.id}, {"recognised_by", format.by}});
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

Json describePair(const Inspected& source, const Inspected& target) {
    Json pair{{"source", source.path}, {"target", target.path}};
    if (source.count != target.count) {
        pair["problem"] = fmt::format("the source has {} lines, the target {}", source.count, target.count);
        return pair;
    }
    std::int64_t equal = 0;
    std::vector<std::string> both;
    for (std::size_t i = 0; i < source.side.texts.size(); ++i) {
        equal += source.side.texts[i] == target.side.texts[i] ? 1 : 0;
        both.push_back(source.side.texts[i] + '\n' + target.side.texts[i]);
    }
    const std::int64_t sourceWords = source.side.wordTotal(), targetWords = target.side.wordTotal();
    pair["lines"] = source.count;
    pair["length_ratio"] =
        sourceWords == 0 ? Json() : Json(static_cast<double>(targetWords) / static_cast<double>(sourceWords));
    pair["equal_lines"] = equal;
    pair["duplicate_pairs"] = data_report::duplicates(both);
    return pair;
}

Json describeSplits(const Inspected& a, const Inspected& b, std::int64_t minCount) {
    const std::unordered_set<std::string_view> known(a.side.texts.begin(), a.side.texts.end());
    const auto repeated = std::count_if(b.side.texts.begin(), b.side.texts.end(),
                                        [&](const std::string& line) { return !line.empty() && known.contains(line); });
    std::int64_t unknown = 0;
    for (const auto& [word, count] : b.side.words) {
        const auto found = a.side.words.find(word);
        if (found == a.side.words.end() || found->second < minCount) unknown += count;
    }
    return {{"a", a.path}, {"b", b.path}, {"lines_of_b_in_a", repeated}, {"words_of_b_unknown_in_a", unknown}};
}

/// The part of an MNIST file name before "-images" or "-labels".
std::string idxStem(const std::string& path) { return path.substr(0, std::min(path.rfind("-images"), path.rfind("-labels"))); }

Json describeImagePair(const Inspected& images, const Inspected& labels) {
    Json pair{{"source", images.path}, {"target", labels.path}};
    if (images.count == labels.count)
        pair["images"] = images.count;
    else
        pair["problem"] = fmt::format("there are {} images and {} labels", images.count, labels.count);
    return pair;
}

/// Adds the comparison of two files to the report if they are related.
void compare(const Inspected& a, const Inspected& b, const InspectOptions& options, Json& report) {
    const std::size_t files = report.at("files").size();
    if (a.kind == Inspected::Kind::Text && b.kind == Inspected::Kind::Text) {
        const auto first = stemAndLanguage(a.path), second = stemAndLanguage(b.path);
        const bool onlyTwo = files == 2 && a.count == b.count;
        if ((first.first == second.first && first.second != second.second) || onlyTwo)
            report["pairs"].push_back(describePair(a, b));
        else if (first.second == second.second)
            report["splits"].push_back(describeSplits(a, b, options.minCount));
    } else if (a.kind == Inspected::Kind::Examples && b.kind == Inspected::Kind::Examples && a.format == b.format) {
        report["splits"].push_back(describeSplits(a, b, options.minCount));
    } else if ((a.kind == Inspected::Kind::Images && b.kind == Inspected::Kind::Labels) ||
               (a.kind == Inspected::Kind::Labels && b.kind == Inspected::Kind::Images)) {
        const bool imagesFirst = a.kind == Inspected::Kind::Images;
        if (idxStem(a.path) == idxStem(b.path) || files == 2)
            report["pairs"].push_back(imagesFirst ? describeImagePair(a, b) : describeImagePair(b, a));
    }
}

/// Totals over all example files of a format, as in a paper's table of data sets.
Json describeTotals(const std::vector<Inspected>& all) {
    struct Total {
        std::int64_t files = 0, examples = 0, skipped = 0, words = 0, characters = 0;
        std::unordered_set<std::string_view> types, distinct;
    };
    std::map<std::string, Total> totals;
    for (const Inspected& file : all) {
        if (file.kind != Inspected::Kind::Examples) continue;
        Total& total = totals[file.format];
        ++total.files;
        total.examples += file.count;
        total.skipped += file.skipped;
        total.words += file.side.wordTotal();
        total.characters += file.side.characterTotal;
        for (const auto& [word, count] : file.side.words) total.types.insert(word);
        total.distinct.insert(file.side.characters.begin(), file.side.characters.end());
    }
    Json list = Json::array();
    for (const auto& [format, total] : totals)
        if (total.files > 1)
            list.push_back({{"format", format},
                            {"files", total.files},
                            {"examples", total.examples},
                            {"skipped", total.skipped},
                            {"words", total.words},
                            {"word_types", total.types.size()},
                            {"characters", {{"total", total.characters}, {"distinct", total.distinct.size()}}}});
    return list;
}

}  // namespace

Json inspectFiles(const std::vector<std::string>& paths, const InspectOptions& options) {
    const std::vector<std::string> known = dataFormats();
    if (options.format != "auto" && !contains(known, options.format))
        throwInvalid("unknown format \"" + options.format + "\"", "--format", suggestion(options.format, known));
    std::vector<Inspected> all;
    for (const std::string& path : paths) all.push_back(inspectOne(path, options));

    Json report{{"schema", "heddle.data/1"},     {"split", options.split},       {"lower", options.lower},
                {"min_count", options.minCount}, {"files", Json::array()},       {"pairs", Json::array()},
                {"splits", Json::array()},       {"totals", describeTotals(all)}};
    for (Inspected& file : all) report["files"].push_back(std::move(file.description));
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = i + 1; j < all.size(); ++j) compare(all[i], all[j], options, report);
    return report;
}

}  // namespace heddle
