// SPDX-License-Identifier: Apache-2.0
// SNLI 1.0 (Bowman et al. 2015) and MultiNLI 1.0 (Williams et al. 2018) as released: JSON lines or tab-separated columns.
#include "engine/data/readers/examples/line_parser.h"

namespace heddle::examples {
namespace {

class SnliParser : public LineParser {
public:
    SnliParser(const ExampleFormat& format, ExampleFile& file) : format_(format), file_(file) {}

    void take(const Line& line) override {
        if (layout_ == Layout::Unknown) {
            layout_ = line.text.starts_with('{') ? Layout::Json : Layout::Columns;
            if (layout_ == Layout::Columns) {
                inColumns_ = glueParser(mnliColumns(), {}, file_);
                return inColumns_->take(line);
            }
        }
        if (inColumns_) return inColumns_->take(line);
        const Json object = parseObject(line);
        Example example;
        example.id = textField(object, {"pairID"}, line).value_or("");
        example.first = requiredField(object, {"sentence1"}, line);
        example.second = requiredField(object, {"sentence2"}, line);
        example.label = textField(object, {"gold_label"}, line).value_or("");
        if (example.label == kNoGold) {
            ++noGold_;
            return;
        }
        if (object.contains("gold_label")) checkLabel(format_, example.label, line, offsetOfKey(line, "gold_label"));
        file_.examples.push_back(std::move(example));
    }

    void finish() override {
        if (inColumns_) inColumns_->finish();
        noteNoGold(file_, noGold_);
    }

    bool ready() const override { return layout_ != Layout::Unknown && (!inColumns_ || inColumns_->ready()); }

private:
    enum class Layout { Unknown, Json, Columns };

    /// The columns' names are those of MultiNLI in GLUE.
    static const ExampleFormat& mnliColumns() { return exampleFormat("glue/mnli"); }

    const ExampleFormat& format_;
    ExampleFile& file_;
    Layout layout_ = Layout::Unknown;
    std::unique_ptr<LineParser> inColumns_;
    std::int64_t noGold_ = 0;
};

}  // namespace

std::unique_ptr<LineParser> snliParser(const ExampleFormat& format, const ColumnNames&, ExampleFile& file) {
    return std::make_unique<SnliParser>(format, file);
}

}  // namespace heddle::examples
