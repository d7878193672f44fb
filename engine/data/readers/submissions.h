// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// A prediction for one line of a publisher's test file, in the order of that file.
struct Prediction {
    std::string id;               ///< the publisher's own; empty: the number of the line, from 0
    std::string label;            ///< class name as in the publisher's files
    std::optional<double> value;  ///< regression result, instead of a class
};

struct SubmissionRequest {
    std::string format;  ///< "glue/mrpc", "clue/tnews", …: an id as in data.format
    std::string part;    ///< glue/mnli: "m" | "mm"; clue/tnews, clue/wsc: "11" | "10" (of the test set); empty: the first
    std::vector<Prediction> predictions;
};

/// A file for the publisher's server.
struct SubmissionFile {
    std::string name;      ///< "MRPC.tsv", "tnews11_predict.json"
    std::string contents;  ///< UTF-8, LF
    std::string notice;    ///< warning for the user, such as a wrong number of lines; empty: none
};

/// Ids of the formats that have a submission file, in the order of the publishers' lists.
std::vector<std::string> submissionFormats();

/// GLUE: tab-separated, head "index prediction", one line per example, STS-B clipped to 0 … 5 with three decimals. CLUE: one
/// JSON object {"id","label"} per line, in the order of test.json. Throws Error(InvalidInput) for a format or part that has no
/// such file, no predictions, a label that the task does not have, a number that is not finite, an id that appears twice.
SubmissionFile submissionFile(const SubmissionRequest& request);

}  // namespace heddle
