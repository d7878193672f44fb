// SPDX-License-Identifier: Apache-2.0
// File names and forms: gluebenchmark.com/submit (as its sample submission has them), and the submission notes of
// github.com/CLUEbenchmark/CLUE.
#include "engine/data/readers/submissions.h"

#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/suggestion.h"
#include "engine/data/readers/examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace heddle {
namespace {

using Words = std::vector<std::string>;

/// One submission file.
struct Task {
    std::string format, part, file;
    std::size_t lines = 0;  ///< of the publisher's test set
};

const std::vector<Task>& tasks() {
    static const std::vector<Task> kTasks{{"glue/cola", "", "CoLA.tsv", 1063},
                                          {"glue/sst-2", "", "SST-2.tsv", 1821},
                                          {"glue/mrpc", "", "MRPC.tsv", 1725},
                                          {"glue/sts-b", "", "STS-B.tsv", 1379},
                                          {"glue/qqp", "", "QQP.tsv", 390965},
                                          {"glue/mnli", "m", "MNLI-m.tsv", 9796},
                                          {"glue/mnli", "mm", "MNLI-mm.tsv", 9847},
                                          {"glue/qnli", "", "QNLI.tsv", 5463},
                                          {"glue/rte", "", "RTE.tsv", 3000},
                                          {"glue/wnli", "", "WNLI.tsv", 146},
                                          {"glue/ax", "", "AX.tsv", 1104},
                                          {"clue/afqmc", "", "afqmc_predict.json", 3861},
                                          {"clue/tnews", "11", "tnews11_predict.json", 10000},
                                          {"clue/tnews", "10", "tnews10_predict.json", 10000},
                                          {"clue/iflytek", "", "iflytek_predict.json", 2600},
                                          {"clue/cmnli", "", "cmnli_predict.json", 13880},
                                          {"clue/ocnli", "", "ocnli_predict.json", 3000},
                                          {"clue/wsc", "11", "cluewsc11_predict.json", 2574},
                                          {"clue/wsc", "10", "cluewsc10_predict.json", 290},
                                          {"clue/csl", "", "csl_predict.json", 3000}};
    return kTasks;
}

const Task& taskOf(const SubmissionRequest& request) {
    Words parts;
    for (const auto& task : tasks()) {
        if (task.format != request.format) continue;
        if (request.part.empty() || request.part == task.part) return task;
        parts.push_back(task.part);
    }
    if (parts.empty())
        throwInvalid(fmt::format("no submission format for \"{}\"", request.format), "--format",
                     suggestion(request.format, submissionFormats()));
    throwInvalid(fmt::format("{} has no part \"{}\"", request.format, request.part), "submission",
                 parts.front().empty() ? "remove the part" : suggestion(request.part, parts));
}

std::string placeOf(const Task& task, std::size_t line) { return fmt::format("{}, prediction {}", task.file, line + 1); }

std::string answerOf(const Task& task, const Prediction& prediction, std::size_t line) {
    const Words& labels = exampleFormat(task.format).classes;  // none: the task asks for a number
    if (!labels.empty()) {
        if (!contains(labels, prediction.label))
            throwInvalid(fmt::format("unknown label \"{1}\" for {0}", task.format, prediction.label), placeOf(task, line),
                         suggestion(prediction.label, labels));
        return prediction.label;
    }
    if (!prediction.value || !std::isfinite(*prediction.value))
        throwInvalid("the prediction is not a finite number", placeOf(task, line),
                     "use a regression run that has not diverged");
    constexpr double kMostAlike = 5;  // STS-B's scale
    return fmt::format("{:.3f}", std::clamp(*prediction.value, 0.0, kMostAlike));
}

bool isNumber(const std::string& id) {
    constexpr std::size_t kMostDigits = 18;
    const bool digits = !id.empty() && id.find_first_not_of("0123456789") == std::string::npos;
    return digits && id.size() <= kMostDigits && (id.size() == 1 || id.front() != '0');
}

std::string lineOf(const Task& task, const std::string& id, const std::string& answer) {
    if (task.format.starts_with("glue/")) return id + "\t" + answer + "\n";
    const std::string number = isNumber(id) ? id : Json(id).dump();
    return fmt::format("{{\"id\": {}, \"label\": {}}}\n", number, Json(answer).dump());
}

constexpr const char* kSquad = "squad";

/// What SQuAD's official scripts read: {"ID": "answer", …}; an empty text where there is none (2.0).
SubmissionFile squadAnswers(const SubmissionRequest& request) {
    SubmissionFile file{"predictions.json", "", ""};
    if (!request.part.empty()) throwInvalid("squad has no parts", "submission", "remove the part");
    std::set<std::string> ids;
    for (const Prediction& prediction : request.predictions) {
        if (prediction.id.empty() || !ids.insert(prediction.id).second)
            throwInvalid(fmt::format("the id {} is empty or not unique", Json(prediction.id).dump()), file.name,
                         "give every question a unique id");
        file.contents += fmt::format("{}{}: {}", file.contents.empty() ? "{" : ",\n ", Json(prediction.id).dump(),
                                     Json(prediction.label).dump());
    }
    file.contents += "}\n";
    return file;
}

}  // namespace

std::vector<std::string> submissionFormats() {
    std::vector<std::string> formats;
    for (const auto& task : tasks())
        if (formats.empty() || formats.back() != task.format) formats.push_back(task.format);
    formats.emplace_back(kSquad);
    return formats;
}

SubmissionFile submissionFile(const SubmissionRequest& request) {
    if (request.format == kSquad && !request.predictions.empty()) return squadAnswers(request);
    const Task& task = taskOf(request);
    if (request.predictions.empty()) throwInvalid("no predictions", task.file, "use the publisher's test file");
    SubmissionFile file{task.file, task.format.starts_with("glue/") ? "index\tprediction\n" : "", ""};
    std::set<std::string> ids;
    for (std::size_t line = 0; line < request.predictions.size(); ++line) {
        const Prediction& prediction = request.predictions[line];
        const std::string id = prediction.id.empty() ? std::to_string(line) : prediction.id;
        if (id.find_first_of("\t\n\r") != std::string::npos || !ids.insert(id).second)
            throwInvalid(fmt::format("the id {} is invalid or not unique", Json(id).dump()), placeOf(task, line),
                         "use the publisher's unchanged test file");
        file.contents += lineOf(task, id, answerOf(task, prediction, line));
    }
    if (request.predictions.size() != task.lines)
        file.notice =
            fmt::format("{} predictions for the {} examples of the publisher's test set: the server will reject the file",
                        request.predictions.size(), task.lines);
    return file;
}

}  // namespace heddle
