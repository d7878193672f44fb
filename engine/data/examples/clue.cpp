// SPDX-License-Identifier: Apache-2.0
// CLUE's JSON lines (Xu et al. 2020, "CLUE: A Chinese language understanding evaluation benchmark"): the tasks that classify a
// text or a pair of texts. Field names as in the publisher's files; CMNLI calls its label differently from release to release.
#include "engine/data/examples/line_parser.h"

#include <fmt/format.h>

namespace heddle::examples {
namespace {

/// CSL's keywords, a list, become one text with spaces, as the publisher's baseline does.
std::string keywords(const Json& object, const Line& line) {
    const auto list = object.find("keyword");
    if (list == object.end() || !list->is_array()) line.refuse("has no list \"keyword\"", 0, "correct the line");
    std::string text;
    for (const Json& word : *list) {
        if (!word.is_string()) line.refuse("a keyword is no text", line.text.find("\"keyword\""), "correct the line");
        if (!text.empty()) text += ' ';
        text += word.get<std::string>();
    }
    return text;
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

std::unique_ptr<LineParser> clueParser(const ExampleFormat& format, ExampleFile& file) {
    return std::make_unique<ClueParser>(format, file);
}

}  // namespace heddle::examples
