// SPDX-License-Identifier: Apache-2.0
// Task tag: sentences of words, and the tag of each word.
#include "engine/data/loading/labelled_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace heddle {
namespace {

class TagEncoder final : public LabelEncoder {
public:
    explicit TagEncoder(std::vector<std::string> classes) : classes_(std::move(classes)) {}

    void add(const Example& example, const ExamplePlace& place, RowEncoder& rows, EncodedCorpus& corpus) const override {
        std::vector<std::int64_t> tags;
        for (const std::string& tag : example.tags) tags.push_back(classNumber(classes_, tag, place));
        rows.addWords(corpus, example, tags);
    }

    void keepTexts(const Example& example, EncodedCorpus& corpus) const override {
        corpus.sourceText.push_back(fmt::format("{}", fmt::join(example.words, " ")));
        corpus.targetText.push_back(fmt::format("{}", fmt::join(example.tags, " ")));
        corpus.labelsAs<TagLabels>().tags.push_back(example.tags);
    }

private:
    std::vector<std::string> classes_;
};

}  // namespace

RunData loadTagData(const LoadContext& context) {
    return loadLabelledRows(context, ExampleFormat::Kind::Tags,
                            [&](const ExampleFormat& format, const std::vector<Example>& train, RunData& data) {
                                data.classes = classesOf(format, train, context.spec.variant.statedClasses());
                                return std::make_unique<TagEncoder>(data.classes);
                            });
}

}  // namespace heddle
