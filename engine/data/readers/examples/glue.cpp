// SPDX-License-Identifier: Apache-2.0
// GLUE's tab-separated files (Wang et al. 2018, "GLUE: A multi-task benchmark …"), each task with its own columns, and the
// original releases of MRPC, STS-B and MultiNLI. Read without CSV quoting.
#include "engine/base/check.h"
#include "engine/data/readers/examples/line_parser.h"
#include "engine/data/readers/text_file.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::examples {
namespace {

using Names = std::vector<std::string>;

/// How to treat a line with fewer columns than the header.
enum class ShortLine {
    Error,
    Annotators,  ///< the columns of further annotators may be missing at the end
    KnownBroken  ///< the publisher's file has a few lines broken inside a question: skipped and counted
};

/// The columns of a task's files; each list holds alternative names, the first one found is used.
struct Columns {
    std::string id;
    Names first, second, label, index;
    ShortLine shortLine = ShortLine::Error;
    Names withoutHeader;  ///< columns of a file without header; empty: files always have a header
};

const std::vector<Columns>& tables() {
    static const Names kIndex{"index", "id"}, kSentence1{"sentence1"}, kSentence2{"sentence2"}, kLabel{"label"};
    static const std::vector<Columns> kTables{
        {"glue/ax", {"sentence1", "Premise"}, {"sentence2", "Hypothesis"}, {"Label", "label"}, kIndex, {}, {}},
        {"glue/cola", {"sentence"}, {}, kLabel, kIndex, {}, {"source", "label", "mark", "sentence"}},
        {"glue/mnli", kSentence1, kSentence2, {"gold_label"}, {"index", "pairID"}, ShortLine::Annotators, {}},
        {"glue/mrpc", {"#1 String"}, {"#2 String"}, {"Quality"}, kIndex, {}, {}},
        {"glue/qnli", {"question"}, {"sentence"}, kLabel, kIndex, {}, {}},
        {"glue/qqp", {"question1"}, {"question2"}, {"is_duplicate"}, kIndex, ShortLine::KnownBroken, {}},
        {"glue/rte", kSentence1, kSentence2, kLabel, kIndex, {}, {}},
        {"glue/sst-2", {"sentence"}, {}, kLabel, kIndex, {}, {}},
        {"glue/sts-b",
         kSentence1,
         kSentence2,
         {"score"},
         kIndex,
         {},
         {"genre", "filename", "year", "old_index", "score", "sentence1", "sentence2"}},
        {"glue/wnli", kSentence1, kSentence2, kLabel, kIndex, {}, {}},
    };
    return kTables;
}

constexpr std::size_t kNone = std::string::npos;

std::size_t findColumn(const std::vector<std::string_view>& header, const Names& names) {
    for (const std::string& name : names)
        for (std::size_t i = 0; i < header.size(); ++i)
            if (header[i] == name) return i;
    return kNone;
}

const Columns& tableOf(const std::string& id) {
    const auto found = std::find_if(tables().begin(), tables().end(), [&](const Columns& columns) { return columns.id == id; });
    HEDDLE_CHECK(found != tables().end());
    return *found;
}

class GlueParser : public LineParser {
public:
    GlueParser(const ExampleFormat& format, ExampleFile& file) : format_(format), file_(file), table_(tableOf(format.id)) {}

    void take(const Line& line) override {
        const std::vector<std::string_view> columns = columnsOf(line.text);
        if (!ready() && readHeader(columns, line)) return;
        if (columns.size() < count_ && isExpectedShort(columns.size())) {
            ++broken_;
            return;
        }
        checkCount(columns.size(), line);
        if (label_ != kNone && columns[label_] == kNoGold) {
            ++noGold_;
            return;
        }
        add(columns, line);
    }

    void finish() override {
        noteNoGold(file_, noGold_);
        file_.skipped += broken_;
        if (broken_ > 0)
            file_.notes.push_back(
                fmt::format("{}: {} lines have too few columns (questions that contain a line end) and were left out",
                            file_.path, broken_));
        if (ready() && label_ == kNone) file_.notes.push_back(file_.path + ": has no labels");
    }

    bool ready() const override { return count_ > 0; }

private:
    /// False if the line is an example.
    bool readHeader(const std::vector<std::string_view>& columns, const Line& line) {
        const bool isHeader = findColumn(columns, table_.first) != kNone;
        const std::vector<std::string_view> names =
            isHeader ? columns : std::vector<std::string_view>(table_.withoutHeader.begin(), table_.withoutHeader.end());
        // STS-B as first released has two more columns in some files.
        const std::size_t most = names.size() + (format_.id == "glue/sts-b" ? 2 : 0);
        if (names.empty() || (!isHeader && (columns.size() < names.size() || columns.size() > most)))
            line.refuse(fmt::format("the header of {} has no column \"{}\"", format_.id, table_.first.front()), 0,
                        "choose another format (--format or data.format)");
        first_ = findColumn(names, table_.first);
        second_ = table_.second.empty() ? kNone : findColumn(names, table_.second);
        label_ = findColumn(names, table_.label);
        index_ = findColumn(names, table_.index);
        if (!table_.second.empty() && second_ == kNone)
            line.refuse(fmt::format("the header of {} has no column \"{}\"", format_.id, table_.second.front()), 0,
                        "choose another format (--format or data.format)");
        count_ = names.size();
        most_ = isHeader ? count_ : most;
        return isHeader;
    }

    std::size_t lastNeeded() const {
        std::size_t last = first_;
        for (const std::size_t column : {second_, label_})
            if (column != kNone) last = std::max(last, column);
        return last;
    }

    bool isExpectedShort(std::size_t count) const {
        return table_.shortLine == ShortLine::KnownBroken && count <= lastNeeded();
    }

    void checkCount(std::size_t count, const Line& line) const {
        const bool annotators = table_.shortLine == ShortLine::Annotators && count > lastNeeded();
        if (count <= most_ && (count >= count_ || annotators)) return;
        line.refuse(fmt::format("{} columns instead of {}", count, count_), 0,
                    "separate the columns by single tabs, or skip such lines (--skip-bad-lines or data.on_bad_line)");
    }

    void add(const std::vector<std::string_view>& columns, const Line& line) {
        Example example;
        if (index_ != kNone) example.id = columns[index_];
        example.first = columns[first_];
        if (second_ != kNone) example.second = columns[second_];
        if (label_ != kNone) {
            checkLabel(format_, columns[label_], line, static_cast<std::size_t>(columns[label_].data() - line.text.data()));
            example.label = columns[label_];
        }
        file_.examples.push_back(std::move(example));
    }

    const ExampleFormat& format_;
    ExampleFile& file_;
    const Columns& table_;
    std::size_t first_ = 0, second_ = kNone, label_ = kNone, index_ = kNone, count_ = 0, most_ = 0;
    std::int64_t noGold_ = 0, broken_ = 0;
};

}  // namespace

std::unique_ptr<LineParser> glueParser(const ExampleFormat& format, const ColumnNames&, ExampleFile& file) {
    return std::make_unique<GlueParser>(format, file);
}

}  // namespace heddle::examples
