// SPDX-License-Identifier: Apache-2.0
// SQuAD 1.1 and 2.0 (Rajpurkar et al. 2016, 2018): one JSON document; `answer_start` counts characters of the context.
#include "engine/base/cancellation.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/unicode.h"
#include "engine/data/readers/byte_reader.h"
#include "engine/data/readers/examples/line_parser.h"
#include "engine/data/readers/text_file.h"

#include <fmt/format.h>

namespace heddle::examples {
namespace {

constexpr std::uint64_t kMaxDocumentBytes = std::uint64_t{512} << 20;
/// Every question of a paragraph has its context anew; far above every data set's.
constexpr std::uint64_t kAlwaysCopied = std::uint64_t{1} << 30, kMaxCopies = 200;

/// The values of a document before it is parsed: each takes tens of bytes, however short its text.
std::uint64_t countValues(std::string_view json) {
    std::uint64_t count = 1;
    bool isInString = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (isInString && c == '\\')
            ++i;
        else if (c == '"')
            isInString = !isInString;
        else if (!isInString && (c == ',' || c == '[' || c == '{'))
            ++count;
    }
    return count;
}

const Json& member(const Json& object, const char* key, Json::value_t type, const std::string& where) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    if (!object.is_object() || found == object.end() || found->type() != type)
        throwInvalid(fmt::format("no {} \"{}\"", type == Json::value_t::array ? "list" : "text", key), where,
                     "is this a SQuAD file (data, paragraphs, qas, answers)?");
    return *found;
}

const std::string& text(const Json& object, const char* key, const std::string& where) {
    return member(object, key, Json::value_t::string, where).get_ref<const std::string&>();
}

/// The id of a question: text, or a whole number (COVID-QA and other conversions number their questions).
std::string idOf(const Json& question, const std::string& where) {
    const auto id = question.is_object() ? question.find("id") : question.end();
    if (question.is_object() && id != question.end() && id->is_number_integer()) return id->dump();
    return text(question, "id", where);
}

/// Whether a question of SQuAD 2.0 has no answer. Words and numbers are refused, since "False" would be as true as "True".
bool isImpossible(const Json& question, const std::string& where) {
    const auto found = question.find("is_impossible");
    if (found == question.end() || found->is_null()) return false;
    if (!found->is_boolean())
        throwInvalid(fmt::format("\"is_impossible\" is {} instead of true or false", safeExcerpt(dumped(*found))), where,
                     "use true or false, without quotation marks");
    return found->get<bool>();
}

/// A context with the byte at which each character begins, and its end.
struct Context {
    explicit Context(const std::string& contextText) : text(contextText) {
        for (std::size_t i = 0; i < text.size(); ++i)
            if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) begins.push_back(i);
        begins.push_back(text.size());
    }
    const std::string& text;
    std::vector<std::size_t> begins;
};

Example::Answer checkedAnswer(const Json& answer, const Context& context, const std::string& where) {
    Example::Answer result;
    result.text = text(answer, "text", where);
    const auto start = answer.find("answer_start");
    if (start == answer.end() || !start->is_number_integer() || start->get<double>() < 0)
        throwInvalid("no integer \"answer_start\"", where, "is this a SQuAD file?");
    if (result.text.empty())
        throwInvalid("the answer is empty", where, "correct it, or skip such questions (--skip-bad-lines or data.on_bad_line)");
    const auto length = context.begins.size() - 1;
    const auto begin = start->get<std::uint64_t>();
    const std::size_t offset = begin < length ? context.begins[begin] : context.text.size();
    if (begin >= length || context.text.compare(offset, result.text.size(), result.text) != 0) {
        const std::size_t found = context.text.find(result.text);
        const std::string there = begin >= length ? fmt::format("the context has {} characters", length)
                                                  : fmt::format("the text there is \"{}\"", safeExcerpt(context.text, offset));
        throwInvalid(
            fmt::format("answer \"{}\" is not at character {}: {}", safeExcerpt(result.text), begin, there), where,
            found == std::string::npos
                ? "the context does not contain it: correct it, or skip such questions (--skip-bad-lines or data.on_bad_line)"
                : fmt::format("it is at character {}", countCodePoints(std::string_view(context.text).substr(0, found))));
    }
    result.begin = static_cast<std::int64_t>(begin);
    return result;
}

class SquadReader {
public:
    /// `fileSize`: on disk.
    SquadReader(const ReadExamplesOptions& options, ExampleFile& file, std::uint64_t fileSize)
        : options_(options), file_(file), fileSize_(fileSize) {}

    void read(const Json& document) {
        const Json& data = member(document, "data", Json::value_t::array, file_.path);
        for (std::size_t i = 0; i < data.size(); ++i) {
            if (options_.stopRequested && options_.stopRequested()) throwStopped(file_.path);
            const std::string at = fmt::format("{}, data[{}]", file_.path, i);
            const Json& paragraphs = member(data[i], "paragraphs", Json::value_t::array, at);
            for (std::size_t k = 0; k < paragraphs.size(); ++k)
                readParagraph(paragraphs[k], fmt::format("{}.paragraphs[{}]", at, k));
        }
        if (unlabelled_ > 0) file_.notes.push_back(fmt::format("{}: {} questions have no answers", file_.path, unlabelled_));
        if (impossible_ > 0)
            file_.notes.push_back(
                fmt::format("{}: {} questions cannot be answered from their context", file_.path, impossible_));
    }

private:
    void readParagraph(const Json& paragraph, const std::string& at) {
        const Context context(text(paragraph, "context", at));
        const Json& questions = member(paragraph, "qas", Json::value_t::array, at);
        copied_ += context.text.size() * questions.size();
        if (copied_ > kAlwaysCopied && copied_ / kMaxCopies > fileSize_)
            throwInvalid(fmt::format("its contexts, repeated for each question, take more than {} MiB, which is implausible "
                                     "for a file of {} bytes",
                                     kAlwaysCopied >> 20, fileSize_),
                         at, "split the context into paragraphs");
        for (std::size_t i = 0; i < questions.size(); ++i) {
            try {
                readQuestion(questions[i], context, fmt::format("{}.qas[{}]", at, i));
            } catch (const Error& error) {  // one question may be skipped
                skipOrThrow(error, options_.onBadLine, file_);
            }
        }
    }

    void readQuestion(const Json& question, const Context& context, const std::string& at) {
        Example example;
        example.id = idOf(question, at);
        example.first = text(question, "question", at);
        example.second = context.text;
        const bool impossible = isImpossible(question, at);
        const bool labelled = question.contains("answers");
        if (labelled && !impossible) {
            const Json& answers = member(question, "answers", Json::value_t::array, at);
            for (std::size_t k = 0; k < answers.size(); ++k)
                example.answers.push_back(checkedAnswer(answers[k], context, fmt::format("{}.answers[{}]", at, k)));
        }
        impossible_ += impossible ? 1 : 0;
        unlabelled_ += !impossible && example.answers.empty() ? 1 : 0;
        file_.examples.push_back(std::move(example));
    }

    const ReadExamplesOptions& options_;
    ExampleFile& file_;
    std::uint64_t fileSize_, copied_ = 0;
    std::int64_t impossible_ = 0, unlabelled_ = 0;
};

}  // namespace

ExampleFile readSquad(const ReadExamplesOptions& options, const std::string& path) {
    ExampleFile file;
    file.path = path;
    ByteReader reader(path, options.stopRequested);
    std::string bytes = readBytes(reader, path, kMaxDocumentBytes);
    file.sha256 = reader.sha256();
    if (bytes.starts_with("\xEF\xBB\xBF")) {
        bytes.erase(0, 3);
        file.notes.push_back(path + ": a byte order mark was taken off");
    }
    if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"))
        throwInvalid("is not UTF-8", path, "this looks like UTF-16: convert it with iconv -f UTF-16 -t UTF-8");
    if (const auto bad = findInvalidUtf8(bytes))
        throwInvalid(
            fmt::format("invalid UTF-8: byte 0x{:02X} at offset {} of the file", static_cast<unsigned char>(bytes[*bad]), *bad),
            path, "convert the file with iconv -f ITS-ENCODING -t UTF-8");
    refuseMany(countValues(bytes), "values", reader, path);
    const Json document = parseJson(bytes, path);
    bytes = {};
    SquadReader(options, file, reader.fileSize()).read(document);
    return file;
}

}  // namespace heddle::examples
