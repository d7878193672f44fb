// SPDX-License-Identifier: Apache-2.0
// Task span: questions, and the contexts whose words answer them.
#include "engine/data/loading/labelled_rows.h"
#include "engine/data/loading/span_kinds.h"

#include <algorithm>

namespace heddle {
namespace {

/// What the training examples teach to say: an answer, and that there is none if a question has none (SQuAD 2.0).
std::vector<std::string> kindsOfAnswers(const std::vector<Example>& train) {
    std::vector<std::string> kinds{kAnswerKind};
    const bool hasNone =
        std::any_of(train.begin(), train.end(), [](const Example& example) { return example.answers.empty(); });
    if (hasNone) kinds.emplace_back(kNoAnswerKind);
    return kinds;
}

class SpanEncoder final : public LabelEncoder {
public:
    explicit SpanEncoder(std::int64_t stride) : stride_(stride) {}

    void add(const Example& example, const ExamplePlace&, RowEncoder& rows, EncodedCorpus& corpus) const override {
        rows.addQuestion(corpus, example, stride_);
    }

    void keepTexts(const Example& example, EncodedCorpus& corpus) const override {
        corpus.sourceText.push_back(example.second);
        corpus.targetText.push_back(example.answers.empty() ? "" : example.answers.front().text);
        auto& answers = corpus.labelsAs<SpanLabels>().answers.emplace_back();
        for (const Example::Answer& answer : example.answers) answers.push_back(answer.text);
    }

private:
    std::int64_t stride_;
};

}  // namespace

RunData loadSpanData(const LoadContext& context) {
    return loadLabelledRows(context, ExampleFormat::Kind::Span,
                            [&](const ExampleFormat&, const std::vector<Example>& train, RunData& data) {
                                data.classes = kindsOfAnswers(train);
                                return std::make_unique<SpanEncoder>(context.spec.data.stride);
                            });
}

}  // namespace heddle
