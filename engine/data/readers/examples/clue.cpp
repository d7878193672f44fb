// SPDX-License-Identifier: Apache-2.0
// CLUE's JSON lines (Xu et al. 2020, "CLUE: A Chinese language understanding evaluation benchmark"): the tasks that classify a
// text or a pair of texts. Field names are the publisher's; the name of CMNLI's label differs between releases. WSC's two spans
// are marked in its text.
#include "engine/base/json.h"
#include "engine/base/unicode.h"
#include "engine/data/readers/examples/line_parser.h"
#include "engine/data/readers/text_file.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::examples {
namespace {

/// Joins CSL's list of keywords with spaces, as in the publisher's baseline.
std::string keywords(const Json& object, const Line& line) {
    const auto list = object.find("keyword");
    if (list == object.end() || !list->is_array()) line.refuse("no list \"keyword\"", 0, "correct the line");
    std::string text;
    for (const Json& word : *list) {
        if (!word.is_string()) line.refuse("a keyword is not a string", offsetOfKey(line, "keyword"), "correct the line");
        if (!text.empty()) text += ' ';
        text += word.get<std::string>();
    }
    return text;
}

/// A part of WSC's text, in characters.
struct Span {
    std::size_t begin = 0, end = 0;
};

/// Reads "span1" or "span2" of WSC's target and checks it against the text.
Span spanOf(const Json& target, const std::string& name, const std::vector<std::string>& text, const Line& line) {
    const std::string written = requiredField(target, {name + "_text"}, line);
    const std::vector<std::string> span = splitCodePoints(written);
    const auto index = target.find(name + "_index");
    const std::size_t offset = offsetOfKey(line, name + "_index");
    if (index == target.end() || !index->is_number_unsigned())
        line.refuse(fmt::format("no integer \"{}_index\"", name), offset, "correct the line");
    const auto begin = index->get<std::size_t>();
    const bool fits = !span.empty() && begin <= text.size() && span.size() <= text.size() - begin;
    if (!fits || !std::equal(span.begin(), span.end(), text.begin() + static_cast<std::ptrdiff_t>(begin)))
        line.refuse(fmt::format("the text has no \"{}\" at character {}", safeExcerpt(written), begin), offset,
                    "correct the line: characters are counted from 0");
    return {begin, begin + span.size()};
}

/// WSC asks whether a pronoun refers to a noun. Marks both in the text, "_noun_ … [pronoun]", as the publisher's baseline does
/// (WscProcessor in github.com/CLUEbenchmark/CLUE).
std::string markedText(const Json& object, const Line& line) {
    const std::vector<std::string> text = splitCodePoints(requiredField(object, {"text"}, line));
    const auto target = object.find("target");
    if (target == object.end() || !target->is_object()) line.refuse("no object \"target\"", 0, "correct the line");
    const Span noun = spanOf(*target, "span1", text, line), pronoun = spanOf(*target, "span2", text, line);
    std::string marked;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (i == noun.begin) marked += '_';
        if (i == pronoun.begin) marked += '[';
        marked += text[i];
        if (i + 1 == pronoun.end) marked += ']';
        if (i + 1 == noun.end) marked += '_';
    }
    return marked;
}

class ClueParser : public LineParser {
public:
    ClueParser(const ExampleFormat& format, ExampleFile& file) : format_(format), file_(file) {}

    void take(const Line& line) override {
        const Json object = parseObject(line);
        static const std::vector<std::string> kLabels{"label", "gold_label"};
        Example example;
        example.id = textField(object, {"id", "idx"}, line).value_or("");
        const std::optional<std::string> label = textField(object, kLabels, line);
        if (label && *label == kNoGold) {
            ++noGold_;
            return;
        }
        if (format_.id == "clue/csl") {
            example.first = keywords(object, line);
            example.second = requiredField(object, {"abst"}, line);
        } else if (format_.id == "clue/wsc") {
            example.first = markedText(object, line);
        } else if (format_.pairs) {
            example.first = requiredField(object, {"sentence1"}, line);
            example.second = requiredField(object, {"sentence2"}, line);
        } else {
            example.first = requiredField(object, {"sentence"}, line);
        }
        if (label) {
            const std::size_t at = line.text.find("label\"");
            checkLabel(format_, *label, line, at == std::string_view::npos ? 0 : at);
            example.label = *label;
        } else {
            ++unlabelled_;
        }
        file_.examples.push_back(std::move(example));
    }

    void finish() override {
        noteNoGold(file_, noGold_);
        if (unlabelled_ == 0) return;
        const bool all = unlabelled_ == static_cast<std::int64_t>(file_.examples.size());
        file_.notes.push_back(file_.path + (all ? ": has no labels" : fmt::format(": {} lines have no label", unlabelled_)));
    }

private:
    const ExampleFormat& format_;
    ExampleFile& file_;
    std::int64_t noGold_ = 0, unlabelled_ = 0;
};

}  // namespace

std::unique_ptr<LineParser> clueParser(const ExampleFormat& format, const ColumnNames&, ExampleFile& file) {
    return std::make_unique<ClueParser>(format, file);
}

}  // namespace heddle::examples
