// SPDX-License-Identifier: Apache-2.0
#include "engine/data/readers/recognise.h"

#include "engine/base/contains.h"
#include "engine/base/json.h"
#include "engine/base/unicode.h"
#include "engine/data/readers/byte_reader.h"
#include "engine/data/readers/corpus.h"
#include "engine/data/readers/examples.h"
#include "engine/data/readers/examples/line_parser.h"
#include "engine/data/readers/examples/table_columns.h"
#include "engine/data/readers/idx.h"
#include "engine/data/readers/text_file.h"
#include "engine/data/vectors/vector_rows.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace heddle {
namespace {

using examples::columnsOf;
using Found = std::optional<RecognisedFormat>;

constexpr std::size_t kExaminedLines = 50;  // lines

/// The beginning of a file.
struct Head {
    std::string path, bytes;
    std::vector<std::string> lines;  ///< the first lines, without a possibly truncated one, byte order mark and CR

    bool named(const std::string& part) const {  // a word of the file's or its folder's name
        const std::string lower = lowerAscii(path);
        std::size_t folder = lower.rfind('/');
        folder = folder == std::string::npos || folder == 0 ? 0 : lower.rfind('/', folder - 1);
        const auto isLetter = [&](std::size_t at) { return at < lower.size() && lower[at] >= 'a' && lower[at] <= 'z'; };
        for (std::size_t at = lower.find(part, folder == std::string::npos ? 0 : folder); at != std::string::npos;
             at = lower.find(part, at + 1))
            if (!(at > 0 && isLetter(at - 1)) && !isLetter(at + part.size())) return true;
        return false;
    }
    bool hasExtension(const std::string& extension) const {
        const std::string lower = lowerAscii(path);
        return lower.ends_with(extension) || lower.ends_with(extension + ".gz");
    }
};

Head headOf(const std::string& path) {
    ByteReader reader(path);
    Head head{path, std::string(reader.read()), {}};
    const bool whole = reader.read().empty();
    std::string_view rest = head.bytes;
    if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
    const char lineEnd = lineEndOf(rest);
    while (!rest.empty() && head.lines.size() < kExaminedLines) {
        const std::size_t end = rest.find(lineEnd);
        if (end == std::string_view::npos && !whole && !head.lines.empty()) break;
        std::string_view line = rest.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        head.lines.emplace_back(line);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return head;
}

bool isNumber(std::string_view text) {
    double ignored = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), ignored);
    return failed != std::errc::invalid_argument && end == text.data() + text.size() && !text.empty();
}

/// Chooses among tasks that look alike by the file name.
Found byName(const Head& head, const std::vector<std::string>& ids) {
    for (const std::string& id : ids)
        if (head.named(id.substr(id.find('/') + 1))) return RecognisedFormat{id, "its name"};
    return std::nullopt;
}

Found fromJsonLine(const Head& head) {
    const Json line = Json::parse(head.lines.front(), nullptr, false);
    if (!line.is_object()) return std::nullopt;
    const auto has = [&](const char* key) { return line.contains(key); };
    const std::string by = "the fields of its first line";
    if (has("text") && has("target") && line["target"].is_object() && line["target"].contains("span1_text"))
        return RecognisedFormat{"clue/wsc", by};
    if (has("abst") && has("keyword")) return RecognisedFormat{"clue/csl", by};
    if (has("sentence1") && has("sentence2")) {
        if (has("annotator_labels") || has("sentence1_binary_parse")) return RecognisedFormat{"snli", by};
        if (has("prem_id") || has("label0")) return RecognisedFormat{"clue/ocnli", by};
        if (Found named = byName(head, {"clue/ocnli", "clue/cmnli", "clue/afqmc", "snli"})) return named;
        // The fields alone are also those of MRPC, RTE, LCQMC, … as exported: no publisher's task, but pairs of one's own.
        const auto value = line.find(has("gold_label") ? "gold_label" : "label");
        if (value == line.end()) return std::nullopt;
        const bool inference =
            value->is_string() && contains({"entailment", "neutral", "contradiction", "-"}, value->get<std::string>());
        if (inference && has("gold_label")) return RecognisedFormat{"snli", by};
        const bool isThreeWay = head.bytes.find("\"not_entailment\"") == std::string::npos;
        if (inference && isThreeWay && !has("idx")) return RecognisedFormat{"clue/cmnli", by};
        return RecognisedFormat{"jsonl/pairs", by};
    }
    if (has("sentence")) {
        if (has("label_des")) return RecognisedFormat{"clue/iflytek", by};
        if (has("label_desc") || has("keywords")) return RecognisedFormat{"clue/tnews", by};
        if (Found named = byName(head, {"clue/tnews", "clue/iflytek"})) return named;
    }
    const auto hasAny = [&](const std::vector<std::string>& keys) {
        return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) { return line.contains(key); });
    };
    if (!hasAny(examples::usualTextNames()) || !hasAny(examples::usualLabelNames())) return std::nullopt;
    return RecognisedFormat{hasAny(examples::usualSecondNames()) ? "jsonl/pairs" : "jsonl", by};
}

/// Recognises a user's table: a header with usual names for a text and a label, or two or three columns.
Found fromOwnTable(const Head& head, const std::string& kind, char separator) {
    const auto cellsOf = [&](std::string_view line) {
        std::vector<std::string> cells;
        for (std::size_t begin = 0; begin != std::string_view::npos;) {
            const std::size_t end = line.find(separator, begin);
            std::string cell = lowerAscii(std::string(line.substr(begin, end - begin)));
            if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
            cells.push_back(cell);
            begin = end == std::string_view::npos ? end : end + 1;
        }
        return cells;
    };
    const std::vector<std::string> header = cellsOf(head.lines.front());
    const auto hasAny = [&](const std::vector<std::string>& names) {
        return std::any_of(names.begin(), names.end(), [&](const auto& name) { return contains(header, name); });
    };
    if (hasAny(examples::usualTextNames()) && hasAny(examples::usualLabelNames()))
        return RecognisedFormat{hasAny(examples::usualSecondNames()) ? kind + "/pairs" : kind, "its header"};
    if (header.size() == 2 || header.size() == 3)
        return RecognisedFormat{header.size() == 3 ? kind + "/pairs" : kind, "its name and columns"};
    return std::nullopt;
}

using Header = std::vector<std::string_view>;

/// The first example's cell of a column; empty: there is none.
std::string_view firstCell(const Head& head, const Header& header, std::string_view name) {
    const auto column = static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
    const Header first = head.lines.size() > 1 ? columnsOf(head.lines[1]) : Header();
    return column < first.size() ? first[column] : "";
}

bool isInferenceLabel(std::string_view label) { return contains({"entailment", "not_entailment"}, label); }

/// Distinguishes tasks with equal column names by their labels. Several tasks, and everybody's own pairs, have 0 and 1: there
/// the name of the file or folder must tell.
Found fromPairHeader(const Head& head, const Header& header) {
    if (!contains(header, "label"))
        return byName(head, {"glue/rte", "glue/wnli", "glue/ax"})
            .value_or(RecognisedFormat{head.named("diagnostic") ? "glue/ax" : "glue/rte",
                                       "its header, which is also that of other GLUE tests"});
    if (isInferenceLabel(firstCell(head, header, "label"))) return RecognisedFormat{"glue/rte", "its header and first label"};
    if (header.front() == "index" && header.size() == 4 && head.named("wnli")) return RecognisedFormat{"glue/wnli", "its name"};
    return RecognisedFormat{"tsv/pairs", "its header"};
}

/// GLUE's columns of single sentences are those of many tables: what has labels is of GLUE if its name says so.
Found fromSentenceHeader(const Head& head, const Header& header) {
    if (Found named = byName(head, {"glue/cola", "glue/sst-2"})) return named;
    if (contains(header, "label")) return RecognisedFormat{"tsv", "its header"};
    return RecognisedFormat{"glue/sst-2", "its header, which is also that of other GLUE tests"};
}

Found fromHeader(const Head& head) {
    const Header header = columnsOf(head.lines.front());
    const auto has = [&](std::string_view name) { return contains(header, name); };
    const std::string by = "its header";
    const RecognisedFormat ownPairs{"tsv/pairs", by};
    if (has("#1 String")) return RecognisedFormat{"glue/mrpc", by};
    if (has("question1") && has("question2")) return has("label") ? ownPairs : RecognisedFormat{"glue/qqp", by};
    if (has("question") && has("sentence")) {
        const bool isQnli = !has("label") || isInferenceLabel(firstCell(head, header, "label"));
        return isQnli ? RecognisedFormat{"glue/qnli", by} : ownPairs;
    }
    if (has("Premise") && has("Hypothesis")) return RecognisedFormat{"glue/ax", by};
    if (has("sentence1") && has("sentence2")) {
        if (has("captionID")) return RecognisedFormat{"snli", by};
        if (has("sentence1_binary_parse") || has("gold_label")) return RecognisedFormat{"glue/mnli", by};
        if (has("old_index") || (has("score") && has("genre"))) return RecognisedFormat{"glue/sts-b", by};
        if (has("score")) return byName(head, {"glue/sts-b"}).value_or(ownPairs);
        return fromPairHeader(head, header);
    }
    if (header.size() == 2 && has("sentence") && (has("label") || has("index"))) return fromSentenceHeader(head, header);
    return std::nullopt;
}

/// Whether all of the first lines pass; false without lines.
template <typename Test>
bool allLines(const Head& head, Test test) {
    return !head.lines.empty() && std::all_of(head.lines.begin(), head.lines.end(), test);
}

Found fromColumns(const Head& head) {
    const auto columns = [&](auto test) {
        return allLines(head, [&](const std::string& line) { return test(columnsOf(line)); });
    };
    if (columns([](const auto& c) {
            return c.size() == 4 && contains({"0", "1"}, c[1]) && contains({"", "*", "?", "??", "?*", "**"}, c[2]);
        }))
        return RecognisedFormat{"glue/cola", "its columns (source, label, mark, sentence)"};
    if (columns([](const auto& c) { return c.size() >= 7 && c.size() <= 9 && isNumber(c[3]) && isNumber(c[4]); }))
        return RecognisedFormat{"glue/sts-b", "its columns, as first released"};
    if (head.hasExtension(".csv")) {
        const std::optional<char> separator = examples::namedSeparator(head.lines.front());
        if (separator && head.lines.size() > 1)
            return fromOwnTable({head.path, head.bytes, {head.lines.begin() + 1, head.lines.end()}}, "csv", *separator);
        return fromOwnTable(head, "csv", head.lines.front().find(',') == std::string::npos ? ';' : ',');
    }
    if (!head.hasExtension(".tsv")) return std::nullopt;
    Found named = fromOwnTable(head, "tsv", '\t');
    if (named && named->by == "its header") return named;
    if (columns([](const auto& c) { return c.size() == 2; })) return RecognisedFormat{"tsv", "its two columns"};
    if (columns([](const auto& c) { return c.size() == 3; })) return RecognisedFormat{"tsv/pairs", "its three columns"};
    return fromOwnTable(head, "tsv", '\t');
}

bool looksLikeConll(const Head& head) {
    std::int64_t words = 0, tags = 0, breaks = 0;
    for (const std::string& line : head.lines) {
        const std::vector<std::string> fields = splitUnicodeSpace(line);
        if (fields.empty() || fields.front() == "-DOCSTART-") {
            ++breaks;
            continue;
        }
        const std::string& tag = fields.back();
        const bool isTag = tag == "O" || (tag.size() > 2 && tag[1] == '-' && std::string("BIESLU").find(tag[0]) < 6);
        if (fields.size() < 2 || !isTag) return false;
        ++words;
        tags += tag != "O" ? 1 : 0;
    }
    return words > 1 && (breaks > 0 || tags > 0);
}

bool looksLikeVectors(const Head& head) {
    if (vectors::parseHeader(head.lines.front())) {
        const std::size_t end = head.bytes.find(lineEndOf(head.bytes));
        return end != std::string::npos && end + 1 < head.bytes.size();
    }
    constexpr std::size_t kFewest = 10;  // numbers per line; fewer may be a table
    const auto numbers = [](const std::string& line) {
        const std::vector<std::string> fields = splitUnicodeSpace(line);
        const bool all =
            !fields.empty() && std::all_of(fields.begin() + 1, fields.end(), [](const auto& f) { return isNumber(f); });
        return all ? fields.size() - 1 : std::size_t{0};
    };
    const std::size_t dim = numbers(head.lines.front());
    return dim >= kFewest && allLines(head, [&](const std::string& line) { return numbers(line) == dim; });
}

Found fromText(const Head& head) {
    if (isSgm(head.lines)) return RecognisedFormat{"sgm", "its first tag"};
    const auto first = std::find_if(head.lines.begin(), head.lines.end(),
                                    [](const std::string& line) { return line.find_first_not_of(" \t") != std::string::npos; });
    if (first == head.lines.end()) return std::nullopt;
    if (first->starts_with('{')) {
        if (head.bytes.find("\"paragraphs\"") != std::string::npos && head.bytes.find("\"data\"") != std::string::npos)
            return RecognisedFormat{"squad", "its fields"};
        return fromJsonLine(head);
    }
    if (wikitextTitle(*first)) return RecognisedFormat{"wikitext", "its first heading"};
    if (looksLikeVectors(head)) return RecognisedFormat{"vectors", "its first lines"};
    if (Found found = fromHeader(head)) return found;
    if (Found found = fromColumns(head)) return found;
    if (looksLikeConll(head)) return RecognisedFormat{"conll", "the tags in its last column"};
    return std::nullopt;
}

}  // namespace

std::vector<std::string> dataFormats() {
    std::vector<std::string> ids{"text", "wikitext", "sgm", "idx", "vectors"};
    for (const ExampleFormat& format : exampleFormats()) ids.push_back(format.id);
    return ids;
}

RecognisedFormat recogniseFormat(const std::string& path) {
    if (isIdxFile(path)) return {"idx", "its first bytes"};
    const Head head = headOf(path);
    if (!head.lines.empty())
        if (Found found = fromText(head)) return *found;
    return {"text", "exclusion: no other format fits"};
}

}  // namespace heddle
