// SPDX-License-Identifier: Apache-2.0
#include "engine/base/error.h"
#include "engine/base/suggestion.h"
#include "engine/data/readers/examples.h"
#include "engine/data/readers/examples/line_parser.h"

#include <algorithm>

namespace heddle {
namespace {

using Kind = ExampleFormat::Kind;
using Names = std::vector<std::string>;

const char* const kGlue = "Wang et al. 2018, GLUE";
const char* const kClue = "Xu et al. 2020, CLUE";

Names numbersTo(int count) {
    Names names;
    for (int i = 0; i < count; ++i) names.push_back(std::to_string(i));
    return names;
}

std::vector<ExampleFormat> clueFormats() {
    const Names tnews{"100", "101", "102", "103", "104", "106", "107", "108", "109", "110", "112", "113", "114", "115", "116"};
    const Names inference{"contradiction", "entailment", "neutral"}, accuracy{"accuracy"};
    return {
        {"clue/afqmc", "CLUE AFQMC: do two questions ask the same?", Kind::Class, true, {"0", "1"}, accuracy, kClue},
        {"clue/cmnli", "CLUE CMNLI: does a sentence follow?", Kind::Class, true, inference, accuracy, kClue},
        {"clue/csl", "CLUE CSL: do keywords belong to an abstract?", Kind::Class, true, {"0", "1"}, accuracy, kClue},
        {"clue/iflytek", "CLUE IFLYTEK: kind of an app", Kind::Class, false, numbersTo(119), accuracy, kClue},
        {"clue/ocnli", "CLUE OCNLI: does a sentence follow?", Kind::Class, true, inference, accuracy, kClue},
        {"clue/tnews", "CLUE TNEWS: topic of a news title", Kind::Class, false, tnews, accuracy, kClue},
        {"clue/wsc", "CLUE WSC: does a pronoun mean a noun?", Kind::Class, false, {"true", "false"}, accuracy, kClue},
    };
}

std::vector<ExampleFormat> glueFormats() {
    const Names inference{"entailment", "neutral", "contradiction"}, follows{"entailment", "not_entailment"}, binary{"0", "1"};
    const Names accuracy{"accuracy"}, matthews{"matthews"}, f1{"f1", "accuracy"};
    return {
        {"glue/ax", "GLUE AX: diagnostic inference", Kind::Class, true, inference, matthews, kGlue},
        {"glue/cola", "GLUE CoLA: is a sentence grammatical?", Kind::Class, false, binary, matthews, kGlue},
        {"glue/mnli", "GLUE MNLI: does a sentence follow?", Kind::Class, true, inference, accuracy, kGlue},
        {"glue/mrpc", "GLUE MRPC: are two sentences paraphrases?", Kind::Class, true, binary, f1, kGlue},
        {"glue/qnli", "GLUE QNLI: does a sentence answer a question?", Kind::Class, true, follows, accuracy, kGlue},
        {"glue/qqp", "GLUE QQP: do two questions ask the same?", Kind::Class, true, binary, f1, kGlue},
        {"glue/rte", "GLUE RTE: does a sentence follow?", Kind::Class, true, follows, accuracy, kGlue},
        {"glue/sst-2", "GLUE SST-2: is a review positive?", Kind::Class, false, binary, accuracy, kGlue},
        {"glue/sts-b", "GLUE STS-B: similarity from 0 to 5", Kind::Number, true, {}, {"pearson", "spearman"}, kGlue},
        {"glue/wnli", "GLUE WNLI: what does a pronoun mean?", Kind::Class, true, binary, accuracy, kGlue},
    };
}

ExampleFormat own(const char* id, const char* title) {
    return {id, title, Kind::Class, std::string(id).ends_with("/pairs"), {}, {"accuracy"}, "Heddle"};
}

/// The formats, and beside each its reader.
struct FormatList {
    std::vector<ExampleFormat> formats;
    std::vector<examples::Reader> readers;

    void add(const std::vector<ExampleFormat>& more, examples::Reader reader) {
        formats.insert(formats.end(), more.begin(), more.end());
        readers.resize(formats.size(), reader);
    }
};

FormatList makeList() {
    const ExampleFormat conll{"conll",
                              "CoNLL columns: a word a line, BIO tag last",
                              Kind::Tags,
                              false,
                              {},
                              {"f1", "accuracy"},
                              "Tjong Kim Sang and De Meulder 2003, CoNLL-2003"};
    const ExampleFormat snli{"snli",
                             "SNLI and MultiNLI as released: JSON lines or text in columns",
                             Kind::Class,
                             true,
                             {"entailment", "neutral", "contradiction"},
                             {"accuracy"},
                             "Bowman et al. 2015, SNLI; Williams et al. 2018, MultiNLI"};
    const ExampleFormat squad{"squad",
                              "SQuAD 1.1 and 2.0: answers as spans of a text",
                              Kind::Span,
                              true,
                              {},
                              {"f1", "exact_match"},
                              "Rajpurkar et al. 2016, 2018, SQuAD"};
    FormatList list;
    list.add(clueFormats(), examples::clueParser);
    list.add({conll}, examples::conllParser);
    list.add({own("csv", "own data: text,label (RFC 4180)"), own("csv/pairs", "own data: text,text,label (RFC 4180)")},
             examples::tableParser);
    list.add(glueFormats(), examples::glueParser);
    list.add({own("jsonl", "own data: a JSON object a line with text and label"),
              own("jsonl/pairs", "own data: a JSON object a line with two texts and label")},
             examples::tableParser);
    list.add({snli}, examples::snliParser);
    list.add({squad}, examples::readSquad);
    list.add({own("tsv", "own data: text TAB label"), own("tsv/pairs", "own data: text TAB text TAB label")},
             examples::tableParser);
    return list;
}

/// All formats, in the order of their ids.
const FormatList& formatList() {
    static const FormatList kList = makeList();
    return kList;
}

}  // namespace

bool isOwnTable(const std::string& id) {
    const std::string kind = id.substr(0, id.find('/'));
    return kind == "tsv" || kind == "csv" || kind == "jsonl";
}

const std::vector<ExampleFormat>& exampleFormats() { return formatList().formats; }

const ExampleFormat& exampleFormat(const std::string& id) {
    const std::vector<ExampleFormat>& formats = exampleFormats();
    const auto found = std::find_if(formats.begin(), formats.end(), [&](const ExampleFormat& f) { return f.id == id; });
    if (found != formats.end()) return *found;
    Names known;
    for (const ExampleFormat& format : formats) known.push_back(format.id);
    throwInvalid("unknown format of examples \"" + id + "\"", "data.format", suggestion(id, known));
}

const examples::Reader& examples::readerOf(const std::string& format) {
    return formatList().readers[static_cast<std::size_t>(&exampleFormat(format) - exampleFormats().data())];
}

}  // namespace heddle
