// SPDX-License-Identifier: Apache-2.0
// Columns of the CoNLL shared tasks (Tjong Kim Sang and De Meulder 2003): one word per line with its tag in the last column, a
// blank line between sentences, -DOCSTART- between documents. IOB1, IOBES and BILOU are converted to BIO.
#include "engine/data/readers/examples/line_parser.h"
#include "engine/data/readers/text_file.h"

#include <fmt/format.h>

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
    explicit ConllParser(ExampleFile& file) : file_(file) {}

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
        broken_ = true;       // reset at the end of this function
        if (count_ == 0) count_ = fields.size();
        if (fields.size() != count_)
            line.refuse(fmt::format("has {} columns where the first word has {}", fields.size(), count_), 0,
                        "give every word as many columns, or have such sentences skipped");
        if (count_ > 1) {
            checkTag(fields.back(), line);
            sentence_.tags.emplace_back(fields.back());
        }
        sentence_.words.emplace_back(fields.front());
        broken_ = false;
    }

    void finish() override {
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
    static void checkTag(std::string_view tag, const Line& line) {
        static constexpr std::string_view kPrefixes = "BIESLU";
        if (tag == "O") return;
        if (tag.size() > 2 && tag[1] == '-' && kPrefixes.find(tag[0]) != std::string_view::npos) return;
        line.refuse(fmt::format("tag \"{}\" is neither O nor B-TYPE nor I-TYPE", safeExcerpt(tag)),
                    static_cast<std::size_t>(tag.data() - line.text.data()), "the last column holds BIO tags of spans");
    }

    void endSentence() {
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

    ExampleFile& file_;
    Example sentence_;
    std::size_t count_ = 0;
    std::int64_t documents_ = 0, begun_ = 0, closed_ = 0;
    bool broken_ = false;
};

}  // namespace

std::unique_ptr<LineParser> conllParser(const ExampleFormat&, const ColumnNames&, ExampleFile& file) {
    return std::make_unique<ConllParser>(file);
}

}  // namespace heddle::examples
