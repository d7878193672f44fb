// SPDX-License-Identifier: Apache-2.0
// Columns of the CoNLL shared tasks (Tjong Kim Sang and De Meulder 2003): one word per line with its tag in the last column, a
// blank line between sentences, -DOCSTART- between documents. IOB1, IOBES and BILOU are converted to BIO. The word is in the
// first column, or in the second where the first one numbers the words or their sentences (CoNLL-U, GermEval).
#include "engine/base/error.h"
#include "engine/data/readers/examples/line_parser.h"
#include "engine/data/readers/text_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace heddle::examples {
namespace {

std::vector<std::string_view> fieldsOf(std::string_view text) {
    std::vector<std::string_view> fields;
    for (std::size_t begin = text.find_first_not_of(" \t"); begin != std::string_view::npos;) {
        const std::size_t end = text.find_first_of(" \t", begin);
        fields.push_back(text.substr(begin, end - begin));
        begin = end == std::string_view::npos ? end : text.find_first_not_of(" \t", end);
    }
    return fields;
}

class ConllParser : public LineParser {
public:
    ConllParser(const ColumnNames& columns, ExampleFile& file) : given_(columns), file_(file) {}

    bool wantsEmptyLines() const override { return true; }  // the end of a sentence

    void take(const Line& line) override {
        const std::vector<std::string_view> fields = fieldsOf(line.text);
        if (fields.empty()) return endSentence();
        if (fields.front() == "-DOCSTART-") {
            endSentence();
            ++documents_;
            return;
        }
        if (broken_) return;  // skip the rest of a sentence with a malformed line
        broken_ = true;       // reset by takeWord()
        if (count_ == 0) begin(fields, line);
        if (fields.size() != count_)
            line.refuse(
                fmt::format("{} columns, but the first word has {}", fields.size(), count_), 0,
                "give every word the same number of columns, or skip such sentences (--skip-bad-lines or data.on_bad_line)");
        if (!isDecided_) {
            held_.push_back({line.number, std::string(line.text)});
            broken_ = false;
            if (!numbers(fields.front())) decide(Decision::Words);
            return;
        }
        takeWord(fields, line);
    }

    void finish() override {
        endSentence();
        if (!isDecided_) decide(isNumbered_ ? Decision::Numbers : Decision::Words);
        endSentence();
        if (documents_ > 0) file_.notes.push_back(fmt::format("{}: {} documents", file_.path, documents_));
        if (begun_ > 0)
            file_.notes.push_back(
                fmt::format("{}: {} spans begin with I- (IOB1); they were read as B- (BIO)", file_.path, begun_));
        if (closed_ > 0)
            file_.notes.push_back(
                fmt::format("{}: {} tags E-, L-, S- or U- (IOBES, BILOU) were read as BIO", file_.path, closed_));
        if (count_ == 1) file_.notes.push_back(file_.path + ": has no tags");
    }

private:
    enum class Decision { Words, Numbers };  ///< what the first column holds
    /// A line that waits until it is known what the first column holds; without text: the end of a sentence.
    struct Held {
        std::int64_t number = 0;
        std::string text;
    };

    /// Takes the number of columns from the first word, and where the word and its tag are as far as that is known.
    void begin(const std::vector<std::string_view>& fields, const Line& line) {
        count_ = fields.size();
        word_ = columnGiven(given_.text, "text", line).value_or(0);
        tag_ = columnGiven(given_.label, "label", line).value_or(count_ - 1);
        // Two columns are a word and its tag, whatever the words look like.
        isDecided_ = count_ < 3 || !given_.text.empty();
    }

    std::optional<std::size_t> columnGiven(const std::string& name, const char* which, const Line& line) const {
        if (name.empty()) return std::nullopt;
        std::size_t number = 0;
        const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), number);
        if (failed != std::errc{} || end != name.data() + name.size() || number < 1 || number > count_)
            line.refuse(fmt::format("unknown column \"{}\"", safeExcerpt(name)), 0,
                        fmt::format("set data.columns.{} to a number from 1 to {}", which, count_));
        return number - 1;
    }

    /// Whether the first column may still number the words of this sentence, or have one number for all of them.
    bool numbers(std::string_view field) {
        std::int64_t number = 0;
        const auto [end, failed] = std::from_chars(field.data(), field.data() + field.size(), number);
        if (failed != std::errc{} || end != field.data() + field.size()) return false;
        if (inSentence_ == 1) step_ = number - last_;
        if (inSentence_ > 0 && (number - last_ != step_ || step_ < 0 || step_ > 1)) return false;
        last_ = number;
        isNumbered_ = ++inSentence_ > 1 || isNumbered_;
        return true;
    }

    /// Reads the lines held back. The first malformed one is reported when all are read.
    void decide(Decision decision) {
        isDecided_ = true;
        const std::vector<Held> held = std::exchange(held_, {});
        if (decision == Decision::Numbers && !held.empty()) useNumbered(held);
        std::optional<Error> problem;
        for (const auto& [number, text] : held) {
            if (text.empty()) {
                endSentence();
                continue;
            }
            if (broken_) continue;
            broken_ = true;
            try {
                takeWord(fieldsOf(text), {file_.path, number, text});
            } catch (const Error& error) {  // thrown below
                if (!problem) problem.emplace(error);
            }
        }
        if (problem) throw Error(*problem);
    }

    /// Takes the words from the second column, and the tags from the one column that holds tags. Refuses others, naming the
    /// columns.
    void useNumbered(const std::vector<Held>& held) {
        word_ = 1;
        std::vector<std::size_t> candidates;
        for (std::size_t column = 2; column < count_; ++column)
            if (std::all_of(held.begin(), held.end(),
                            [&](const Held& one) { return one.text.empty() || isTag(fieldsOf(one.text)[column]); }))
                candidates.push_back(column + 1);
        const Held& first = held.front();
        const Line line{file_.path, first.number, first.text};
        if (given_.label.empty()) {
            if (candidates.size() != 1)
                line.refuse(
                    candidates.empty()
                        ? fmt::format("column 1 of {} contains word numbers, and no column after column 2 contains BIO tags",
                                      count_)
                        : fmt::format("column 1 of {} contains word numbers, and the columns {} contain BIO tags", count_,
                                      fmt::join(candidates, ", ")),
                    0,
                    "set data.columns.text and data.columns.label to the columns of the words and the tags (numbers from 1)");
            tag_ = candidates.front() - 1;
        }
        file_.notes.push_back(fmt::format("{}: column 1 holds numbers and no words: words from column 2, tags from column {}",
                                          file_.path, tag_ + 1));
    }

    void takeWord(const std::vector<std::string_view>& fields, const Line& line) {
        if (count_ > 1) {
            checkTag(fields[tag_], line);
            sentence_.tags.emplace_back(fields[tag_]);
        }
        sentence_.words.emplace_back(fields[word_]);
        broken_ = false;
    }

    static bool isTag(std::string_view tag) {
        static constexpr std::string_view kPrefixes = "BIESLU";
        return tag == "O" || (tag.size() > 2 && tag[1] == '-' && kPrefixes.find(tag[0]) != std::string_view::npos);
    }

    static void checkTag(std::string_view tag, const Line& line) {
        if (isTag(tag)) return;
        line.refuse(fmt::format("tag \"{}\" is not O, B-TYPE or I-TYPE", safeExcerpt(tag)),
                    static_cast<std::size_t>(tag.data() - line.text.data()),
                    "the last column must contain BIO tags; set data.columns.label for another column");
    }

    void endSentence() {
        if (!isDecided_ && count_ > 0) {
            constexpr std::int64_t kEnough = 20;  // sentences that number their words
            while (broken_ && !held_.empty() && !held_.back().text.empty()) held_.pop_back();
            broken_ = false;
            held_.emplace_back();
            inSentence_ = 0;
            if (++sentences_ < kEnough || !isNumbered_) return;
            decide(Decision::Numbers);
        }
        if (!broken_ && !sentence_.words.empty()) {
            toBio(sentence_.tags);
            file_.examples.push_back(std::move(sentence_));
        }
        sentence_ = {};
        broken_ = false;
    }

    /// B begins a span and I continues it; an I that continues no span begins one.
    void toBio(std::vector<std::string>& tags) {
        std::string open;  // type of the open span
        for (std::string& tag : tags) {
            if (tag == "O") {
                open.clear();
                continue;
            }
            const char prefix = tag[0];
            const std::string type = tag.substr(2);
            const bool single = prefix == 'S' || prefix == 'U', last = prefix == 'E' || prefix == 'L';
            const bool goesOn = prefix != 'B' && !single && open == type;
            begun_ += prefix == 'I' && !goesOn ? 1 : 0;
            closed_ += single || last ? 1 : 0;
            tag[0] = goesOn ? 'I' : 'B';
            open = single || last ? "" : type;
        }
    }

    const ColumnNames& given_;
    ExampleFile& file_;
    Example sentence_;
    std::size_t count_ = 0, word_ = 0, tag_ = 0;  ///< columns; that of the word, that of its tag
    std::vector<Held> held_;
    bool isDecided_ = false, isNumbered_ = false;  ///< isNumbered_: a sentence of several words bears it out
    std::int64_t last_ = 0, step_ = 0, inSentence_ = 0, sentences_ = 0;
    std::int64_t documents_ = 0, begun_ = 0, closed_ = 0;
    bool broken_ = false;
};

}  // namespace

std::unique_ptr<LineParser> conllParser(const ExampleFormat&, const ColumnNames& columns, ExampleFile& file) {
    return std::make_unique<ConllParser>(columns, file);
}

}  // namespace heddle::examples
