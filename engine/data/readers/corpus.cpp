// SPDX-License-Identifier: Apache-2.0
#include "engine/data/readers/corpus.h"

#include "engine/base/error.h"
#include "engine/base/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <string_view>
#include <utility>

namespace heddle {
namespace {

constexpr std::string_view kBlank = " \t";

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(kBlank);
    return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

/// 1 for " = Title = ", 2 for " = = Section = = ", …; 0 for text.
int headingLevel(std::string_view line) {
    line = trimmed(line);
    int level = 0;
    while (line.size() > 4 && line.starts_with("= ") && line.ends_with(" =")) {
        line = line.substr(2, line.size() - 4);
        ++level;
    }
    return level;
}

/// The value of an attribute in a tag, with or without quotation marks.
std::string attribute(std::string_view tag, const std::string& name) {
    const std::string lower = lowerAscii(std::string(tag));
    const std::size_t at = lower.find(" " + name + "=");
    if (at == std::string::npos) return "";
    std::string_view value = tag.substr(at + name.size() + 2);
    if (value.empty() || (value[0] != '"' && value[0] != '\'')) return std::string(value.substr(0, value.find_first_of(" >")));
    const char quote = value[0];
    value.remove_prefix(1);
    return std::string(value.substr(0, value.find(quote)));
}

/// Appends the character of "&name;"; false if it is not an entity.
bool appendEntity(std::string& out, std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, char>, 5> kNamed{
        {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};
    for (const auto& [known, character] : kNamed)
        if (name == known) return out += character, true;
    if (!name.starts_with('#')) return false;
    name.remove_prefix(1);
    const bool hex = name.starts_with('x') || name.starts_with('X');
    if (hex) name.remove_prefix(1);
    std::uint32_t c = 0;
    const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), c, hex ? 16 : 10);
    const bool character = (c >= 0x20 && c < 0xD800) || (c >= 0xE000 && c <= 0x10FFFF);
    if (failed != std::errc{} || end != name.data() + name.size() || !character) return false;
    appendCodePoint(out, static_cast<std::int32_t>(c));
    return true;
}

/// Unknown entities are kept, since WMT's files contain bare ampersands.
std::string decodeEntities(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t at = std::min(text.find('&'), text.size());
        out.append(text.substr(0, at));
        text.remove_prefix(at);
        if (text.empty()) break;
        const std::size_t end = text.substr(0, 12).find(';');
        if (end != std::string_view::npos && appendEntity(out, text.substr(1, end - 1))) {
            text.remove_prefix(end + 1);
        } else {
            out += '&';
            text.remove_prefix(1);
        }
    }
    return out;
}

/// Extracts the segments from the lines of an .sgm file.
class SgmSegments {
public:
    explicit SgmSegments(const std::string& path) : path_(path) {}

    void take(std::string_view line, std::int64_t number) {
        const std::string lower = lowerAscii(std::string(line));
        for (std::size_t at = 0; at < line.size();) {
            if (open_) {
                const std::size_t end = std::min(lower.find("</seg", at), line.size());
                if (!text_.empty()) text_ += ' ';  // a segment over several lines
                text_ += trimmed(line.substr(at, end - at));
                if (end == line.size()) return;
                lines_.push_back(decodeEntities(trimmed(text_)));
                open_ = false;
                at = end + 1;
                continue;
            }
            const std::size_t tag = lower.find('<', at);
            if (tag == std::string::npos) return;
            const std::size_t end = std::min(lower.find('>', tag), line.size());
            openTag(line.substr(tag, end - tag + (end < line.size() ? 1 : 0)), lower.substr(tag, 5), number);
            at = end + 1;
        }
    }

    std::vector<std::string> finish() {
        if (open_)
            throwInvalid("unclosed segment", fmt::format("{}, line {}", path_, begun_),
                         "the file is truncated or damaged: download it again");
        if (lines_.empty()) throwInvalid("no segments in the .sgm file", path_, "download the file again");
        return std::move(lines_);
    }

private:
    void openTag(std::string_view tag, const std::string& name, std::int64_t number) {
        if (name.starts_with("<doc") && !name.starts_with("<doct")) document_ = attribute(tag, "docid");
        const std::string id = attribute(tag, "id");
        if (name.starts_with("<seg") && !id.empty() && !seen_.emplace(document_, id).second)
            throwInvalid(fmt::format("segment {} of document \"{}\" appears twice", id, safeExcerpt(document_)),
                         fmt::format("{}, line {}", path_, number), "give a file with one translation of each segment");
        if (!name.starts_with("<seg")) return;
        open_ = true;
        begun_ = number;
        text_.clear();
    }

    const std::string& path_;
    std::vector<std::string> lines_;
    std::set<std::pair<std::string, std::string>> seen_;  // document and segment
    std::string document_, text_;
    std::int64_t begun_ = 0;
    bool open_ = false;
};

}  // namespace

bool isSgm(const std::vector<std::string>& lines) {
    const auto first = std::find_if(lines.begin(), lines.end(), [](const std::string& line) { return !trimmed(line).empty(); });
    if (first == lines.end()) return false;
    const std::string begin = lowerAscii(std::string(trimmed(*first))).substr(0, 16);
    for (const char* const tag : {"<srcset", "<refset", "<tstset", "<!doctype mteval"})
        if (begin.starts_with(tag)) return true;
    return false;
}

bool wikitextTitle(std::string_view line) { return headingLevel(line) == 1; }

Corpus readCorpus(const std::string& path, const std::function<bool()>& stopRequested) {
    Corpus corpus;
    corpus.file = readTextFile(path, stopRequested);
    const std::vector<std::string>& lines = corpus.file.lines;
    const auto isEmpty = [](const std::string& line) { return trimmed(line).empty(); };
    const auto first = std::find_if_not(lines.begin(), lines.end(), isEmpty);
    if (first != lines.end() && headingLevel(*first) == 1) corpus.layout = CorpusLayout::Wikitext;
    bool begins = true;  // the next line with text begins a document
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const bool empty = isEmpty(lines[i]);
        corpus.emptyLines += empty ? 1 : 0;
        if (corpus.layout == CorpusLayout::Wikitext) {
            // Article text may contain such a line, too (a formula); titles are surrounded by empty lines.
            const int level = headingLevel(lines[i]);
            const bool alone = (i == 0 || isEmpty(lines[i - 1])) && (i + 1 == lines.size() || isEmpty(lines[i + 1]));
            corpus.headings += level > 0 && alone ? 1 : 0;
            begins = level == 1 && alone;
        }
        if (!empty && begins) corpus.documentBegin.push_back(static_cast<std::int64_t>(i));
        if (corpus.layout == CorpusLayout::Plain) begins = empty;
    }
    return corpus;
}

TextFile readTextOrSgm(const std::string& path, const std::function<bool()>& stopRequested) {
    TextFile file = readTextFile(path, stopRequested);
    if (!isSgm(file.lines)) return file;
    SgmSegments segments(path);
    for (std::size_t i = 0; i < file.lines.size(); ++i) segments.take(file.lines[i], static_cast<std::int64_t>(i) + 1);
    file.lines = segments.finish();
    file.notes.push_back(fmt::format("{}: {} segments of an .sgm test set", path, file.lines.size()));
    return file;
}

}  // namespace heddle
