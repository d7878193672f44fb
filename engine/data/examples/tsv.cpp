// SPDX-License-Identifier: Apache-2.0
// Users' own data: text TAB label, or text TAB text TAB label; without the last column where there are no labels.
#include "engine/data/examples/line_parser.h"

#include <fmt/format.h>

namespace heddle::examples {
namespace {

class TsvParser : public LineParser {
public:
    TsvParser(const ExampleFormat& format, ExampleFile& file) : format_(format), file_(file) {}

    void take(const Line& line) override {
        const std::vector<std::string_view> columns = columnsOf(line.text);
        const std::size_t texts = format_.pairs ? 2 : 1;
        if (count_ == 0) {
            if (columns.size() != texts && columns.size() != texts + 1) {
                const bool isOther = columns.size() == (format_.pairs ? 1U : 3U);
                line.refuse(fmt::format("has {} columns where {} has {} or {}", columns.size(), format_.id, texts, texts + 1),
                            0,
                            isOther ? fmt::format("is it {}?", format_.pairs ? "tsv" : "tsv/pairs")
                                    : std::string("separate the columns by single tabs"));
            }
            count_ = columns.size();
            if (columns.size() == texts + 1 && columns.back() == "label") {
                file_.notes.push_back(file_.path + ": line 1 names the columns and is no example");
                return;
            }
        }
        if (columns.size() != count_)
            line.refuse(fmt::format("has {} columns where the first line has {}", columns.size(), count_), 0,
                        "separate the columns by single tabs, or have such lines skipped");
        add(columns, line);
    }

    void finish() override {
        if (count_ > 0 && !labelled()) file_.notes.push_back(file_.path + ": has no labels");
    }

    bool ready() const override { return count_ > 0; }

private:
    bool labelled() const { return count_ == (format_.pairs ? 3U : 2U); }

    void add(const std::vector<std::string_view>& columns, const Line& line) {
        Example example;
        example.first = columns[0];
        if (format_.pairs) example.second = columns[1];
        if (labelled()) example.label = columns.back();
        if (labelled() && example.label.empty())
            line.refuse("the label is empty", line.text.size(), "correct the line, or have such lines skipped");
        file_.examples.push_back(std::move(example));
    }

    const ExampleFormat& format_;
    ExampleFile& file_;
    std::size_t count_ = 0;
};

}  // namespace

std::unique_ptr<LineParser> tsvParser(const ExampleFormat& format, ExampleFile& file) {
    return std::make_unique<TsvParser>(format, file);
}

}  // namespace heddle::examples
